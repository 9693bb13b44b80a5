#include "proxy/keyed_exchange.hpp"

#include <fmt/format.h>

#include <utility>

#include "makegood/id.hpp"
#include "proxy/connection.hpp"
#include "proxy/refusals.hpp"
#include "server/answer_text.hpp"

namespace makegood::proxy {
namespace {

RequestParts parts_of(const KeyedRequest& request) {
  const std::string_view target = request.head.target;
  const std::size_t question = target.find('?');
  const std::string* type = only_header(request.head.headers, "content-type");
  return {.method = request.head.method,
          .path = target.substr(0, question),
          .query = question == target.npos ? std::string_view() : target.substr(question + 1),
          .content_type = type == nullptr ? std::string_view() : std::string_view(*type),
          .body = request.body};
}

Treatment treatment_of(ClaimOutcome outcome) {
  switch (outcome) {
    case ClaimOutcome::fresh:
      return Treatment::worked;
    case ClaimOutcome::hit:
      return Treatment::replayed;
    case ClaimOutcome::busy:
      return Treatment::busy;
    case ClaimOutcome::mismatch:
      return Treatment::mismatch;
    case ClaimOutcome::in_doubt:
    case ClaimOutcome::last_failed:
      return Treatment::in_doubt;
  }
  std::unreachable();
}

std::string failure_code(const Ending& ending) {
  switch (ending.kind) {
    case Ending::Kind::answered:
      return fmt::format("HTTP.{}", ending.status);
    case Ending::Kind::never_left:
      return "PROXY.NEVER_LEFT";
    case Ending::Kind::timeout:
      return "PROXY.TIMEOUT";
    case Ending::Kind::cut:
      return "PROXY.CUT";
  }
  std::unreachable();
}

AnswerHead head_of(const api::Answer& problem) {
  return {.status = problem.status, .headers = {{"Content-Type", problem.content_type}}};
}

}  // namespace

KeyedExchange::KeyedExchange(Site& site, std::shared_ptr<Connection> client, KeyedRequest request)
    : site_(site), client_(std::move(client)), request_(std::move(request)) {
  site_.figures.exchanges(++site_.exchange_count);
}

KeyedExchange::~KeyedExchange() {
  site_.figures.exchanges(--site_.exchange_count);
  site_.tell_if_empty();
}

void KeyedExchange::begin() {
  const Route& route = request_.route;
  const auto principal = principal_of(route.principal, request_.head.headers, request_.head.peer, system_clock().now());
  if (!principal) {
    site_.figures.treated(Treatment::no_principal);
    return tell(principal_missing(principal.error()));
  }
  ClaimRequest claim{.key = {.tenant_id = site_.options.tenant,
                             .scope = fmt::format("{} {}", route.path, *principal),
                             .key = request_.key},
                     .fingerprint = fingerprint_of(parts_of(request_)),
                     .ttl = route.ttl,
                     .lease = route.lease,
                     .after_lease = after_crash(route),
                     .token = new_uuid7()};
  key_ = claim.key;
  site_.claims.claim(
      {.request = std::move(claim),
       .since = system_clock().monotonic(),
       .done = [self = shared_from_this()](Result<ClaimTask::Claimed> claimed) { self->claimed(std::move(claimed)); }});
}

void KeyedExchange::claimed(Result<ClaimTask::Claimed> claimed) {
  if (!claimed) {
    site_.figures.treated(Treatment::store_away);
    site_.log.write(LogLevel::warning, "key not claimed", {{"because", std::string_view(claimed.error().message)}});
    return tell(store_away());
  }
  const ClaimAnswer& answer = claimed->answer;
  site_.key_figures.told(answer, key_.tenant_id);
  site_.figures.treated(treatment_of(answer.outcome));
  if (answer.outcome == ClaimOutcome::hit) return replay(answer.result);
  if (answer.outcome != ClaimOutcome::fresh) return tell(not_yours(answer));
  held_ = std::move(claimed->held);
  forward();
}

void KeyedExchange::forward() {
  const Framing framing{Framing::Kind::length, request_.body.size()};
  std::string text = request_text(request_.head, framing, true) + request_.body;
  request_.body = {};
  call_ = std::make_shared<UpstreamCall>(
      site_.upstream, shared_from_this(),
      UpstreamCall::Limits{.whole = request_.route.timeout, .silence = site_.options.silence_timeout});
  call_->begin(std::move(text), true);
}

void KeyedExchange::came(Part part) {
  if (part.head) head_ = *std::move(part.head);
  if (stream_) return stream_->pass(std::move(part.body), part.is_end);
  body_ += part.body;
  if (part.is_end) {
    site_.figures.ended(Ending::Kind::answered);
    const Ending ending{.status = head_.status};
    return settle(fate_of(request_.route, ending), ending);
  }
  const bool is_stored = fate_of(request_.route, {.status = head_.status}) == Fate::store;
  if (is_stored && body_.size() > site_.options.answer_bytes_max) return begin_stream();
  call_->resume();
}

void KeyedExchange::failed(Ending::Kind why) {
  site_.figures.ended(why);
  if (stream_) return stream_->cut();
  const Ending ending{.kind = why};
  settle(fate_of(request_.route, ending), ending);
}

void KeyedExchange::replay(const StoredResult& stored) {
  if (!stored.unopened.empty()) {
    site_.log.write(LogLevel::warning, "answer not opened", {{"because", std::string_view(stored.unopened)}});
  }
  tell(replay_of(stored));
}

void KeyedExchange::settle(Fate fate, const Ending& ending) {
  ending_ = ending;
  SettleTask task{.held = held_,
                  .done = [self = shared_from_this(), fate](const Result<>& result) { self->settled(fate, result); }};
  if (fate == Fate::release) task.as = Failure{.code = failure_code(ending)};
  if (fate == Fate::hold) task.as = InDoubt{};
  if (fate == Fate::store && ending.kind == Ending::Kind::answered) task.as = stored_answer(head_, body_);
  if (fate == Fate::store && ending.kind != Ending::Kind::answered) {
    const api::Answer problem = no_answer(ending.kind, false);
    task.as = stored_answer(head_of(problem), problem.body);
  }
  site_.settles.settle(std::move(task));
}

void KeyedExchange::settled(Fate fate, const Result<>& result) {
  if (!result) {
    site_.figures.unsettled();
    note_doubt(result.error().message);
    // What could not be stored is not told: a repetition would be told something else.
    const bool is_lost = fate == Fate::store && result.error().code != Errc::fenced;
    return is_lost ? tell(not_stored()) : tell_answer("in_doubt");
  }
  site_.figures.settled(fate);
  if (fate == Fate::hold) note_doubt(failure_code(ending_));
  constexpr auto words = std::to_array<std::string_view>({"stored", "released", "in_doubt"});
  tell_answer(words.at(static_cast<std::size_t>(fate)));
}

void KeyedExchange::begin_stream() {
  SettleTask task{
      .held = held_, .as = truncated_answer(head_), .done = [self = shared_from_this()](const Result<>& done) {
        if (!done) {
          self->call_->cancel();
          return self->settled(Fate::store, done);
        }
        self->site_.figures.settled(Fate::store);
        self->call_->lift_limit();
        self->stream_.emplace(self->client_, self->call_, self->head_, Headers{{"Idempotency-Status", "stored"}});
        self->stream_->pass(std::exchange(self->body_, {}), false);
      }};
  site_.settles.settle(std::move(task));
}

void KeyedExchange::tell_answer(std::string_view status_word) {
  if (ending_.kind != Ending::Kind::answered) {
    api::Answer problem = no_answer(ending_.kind, status_word == "in_doubt");
    problem.headers.emplace_back("Idempotency-Status", status_word);
    return tell(problem);
  }
  WholeAnswer answer{.status = head_.status, .reason = head_.reason, .headers = end_to_end(head_.headers)};
  answer.headers.emplace_back("Idempotency-Status", status_word);
  answer.body = std::move(body_);
  tell(answer);
}

void KeyedExchange::tell(const api::Answer& problem) {
  site_.figures.took(system_clock().monotonic() - request_.began);
  client_->answer_problem(problem);
}

void KeyedExchange::tell(const WholeAnswer& answer) {
  site_.figures.took(system_clock().monotonic() - request_.began);
  Headers headers = answer.headers;
  if (only_header(headers, "date") == nullptr) headers.emplace_back("Date", site_.date);
  Framing framing;
  if (has_body(answer.status)) framing = {Framing::Kind::length, answer.body.size()};
  std::string text = answer_text(answer.status, answer.reason, headers, {framing, client_->is_last()});
  if (has_body(answer.status)) text += answer.body;
  client_->answer(answer.status, std::move(text));
}

void KeyedExchange::note_doubt(std::string_view because) const {
  site_.log.write(LogLevel::warning, "key in doubt",
                  {{"scope", std::string_view(held_.claim.key.scope)},
                   {"key", std::string_view(held_.claim.key.key)},
                   {"because", because}});
}

}  // namespace makegood::proxy
