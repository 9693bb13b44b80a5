// Participants that answer later, by a callback. Its token is the proof; no other is asked for.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "api/operation.hpp"
#include "api/path.hpp"
#include "api/saga_reading.hpp"
#include "base/digest.hpp"
#include "base/saga_token.hpp"
#include "core/saga/request.hpp"
#include "makegood/id.hpp"

namespace makegood::api {
namespace {

constexpr auto answer_words = std::to_array<std::string_view>({"ok", "fail", "retry", "unknown", core::progress_word});
constexpr std::size_t token_text_max = 1024;
constexpr std::size_t callback_text_max = 4096;
constexpr std::size_t answer_code_max = 128;
constexpr std::size_t answer_error_max = 2048;

std::string token_query(Fields& query) {
  return query.text("token", {.bytes_max = token_text_max,
                              .says = "As the address had it; or in the header `Makegood-Callback-Token`."});
}

core::SagaAnswer said_answer(Fields& body) {
  core::SagaAnswer answer;
  if (const auto chosen = body.choice("outcome", answer_words, "Left out: the whole body is the output of an ok.")) {
    answer.is_progress = answer_words[*chosen] == core::progress_word;
    answer.outcome = answer.is_progress ? SagaOutcome::unknown : static_cast<SagaOutcome>(*chosen);
  }
  answer.code = body.text("code", {.bytes_max = answer_code_max, .says = "Of a failure, for the definition's rules."});
  answer.error = body.text("error", {.bytes_min = 0, .bytes_max = answer_error_max});
  if (const JsonValue* output =
          body.any("output", "What the step gives to those after it; of `progress`: how far it is.")) {
    answer.output = output->source;
  }
  return answer;
}

/// {"outcome":"ok",…} with nothing else in it. Everything else is an output.
bool says_outcome(std::string_view body) {
  constexpr auto known = std::to_array<std::string_view>({"outcome", "code", "error", "output"});
  const auto members = read_object(body);
  if (!members) return false;
  const auto is_known = [&](const JsonMember& member) { return std::ranges::find(known, member.name) != known.end(); };
  const auto outcome = std::ranges::find(*members, std::string_view("outcome"), &JsonMember::name);
  return outcome != members->end() && std::ranges::find(answer_words, outcome->value.text) != answer_words.end() &&
         std::ranges::all_of(*members, is_known);
}

Result<core::SagaAnswer> answer_in(const Call& call) {
  if (says_outcome(call.body)) return read_body(call, said_answer);
  if (!is_json(call.body)) return Error{Errc::invalid, "The body is not JSON, or is too deep."};
  return core::SagaAnswer{.outcome = SagaOutcome::ok, .output = call.body};
}

/// One attempt is answered once: a repeated callback finds its own row.
std::string event_of(const SagaCallback& callback) {
  return "answer-" + long_digest(fmt::format("{}\n{}\n{}\n{}\n{}", callback.execution, callback.step,
                                             callback.direction, callback.round, callback.attempt));
}

NewMessage row_for(const SagaCallback& callback, core::SagaAnswer answer) {
  answer.step = callback.step;
  answer.direction = core::direction_from(callback.direction).value_or(core::Direction::action);
  answer.round = callback.round;
  answer.attempt = callback.attempt;
  NewMessage row = core::answer_row(callback.execution, answer);
  row.tenant_id = callback.tenant_id;
  row.event_id = answer.is_progress ? "progress-" + new_uuid7() : event_of(callback);
  return row;
}

void put_acknowledged(Writer& writer, const Enqueued& enqueued) {
  put(writer, "request", enqueued.sequence, "The journal names it once it is heard.");
  put(writer, "wasThere", enqueued.was_there, "The same answer came before.");
}

/// What says which attempt is answered.
struct Address {
  std::string execution;
  std::string step;
  std::string token;
};

/// From `…/executions/{execution}/steps/{step}/answer?token={token}`, as the message had it.
std::optional<Address> address_in(std::string_view url) {
  constexpr std::array<std::string_view, 3> before = {"/api/saga/executions/", "/steps/", "/answer?token="};
  std::array<std::string, 3> parts;
  for (std::size_t i = 0; i < before.size(); ++i) {
    const std::size_t found = url.find(before.at(i));
    if (found == std::string_view::npos) return std::nullopt;
    url.remove_prefix(found + before.at(i).size());
    const std::size_t end = i + 1 < before.size() ? url.find(before.at(i + 1)) : url.size();
    auto part = percent_decoded(url.substr(0, end), Plus::is_plus);
    if (!part) return std::nullopt;
    parts.at(i) = *std::move(part);
  }
  return Address{.execution = std::move(parts[0]), .step = std::move(parts[1]), .token = std::move(parts[2])};
}

Result<Answer> take_answer(const RoutedCall& routed, const Address& address, const core::SagaAnswer& answer) {
  SagaView& sagas = *MAKEGOOD_TRY(routed.connections.sagas());
  const std::string key = MAKEGOOD_TRY(routed.connections.callback_key());
  const auto callback = verify_callback(key, address.token, address.execution, address.step);
  if (!callback) {
    return problem(403,
                   {Errc::invalid, "The token is not of this step; use the address that the request had, as it was."});
  }
  const NewMessage row = row_for(*callback, answer);
  const auto appended = sagas.append({&row, 1});
  routed.connections.sagas_changed();
  if (appended) return answer_of(appended->front(), put_acknowledged);
  if (appended.error().code != Errc::conflict) return appended.error();
  return Error{Errc::conflict, "This attempt was answered before, and otherwise; the first answer counts."};
}

Result<Answer> take_callback(const RoutedCall& routed) {
  std::string token = MAKEGOOD_TRY(read_query(routed.call, token_query));
  if (token.empty()) token = routed.call.callback_token;
  const Address address{.execution = saga_id(routed), .step = routed.path.at("step"), .token = std::move(token)};
  return take_answer(routed, address, MAKEGOOD_TRY(answer_in(routed.call)));
}

struct AnswerByMessage {
  std::string callback;
  core::SagaAnswer answer;
};

AnswerByMessage said_by_message(Fields& body) {
  std::string callback = body.text("callback", {.is_required = true,
                                                .bytes_max = callback_text_max,
                                                .says = "The header `saga-callback` of the message that asked."});
  return {.callback = std::move(callback), .answer = said_answer(body)};
}

/// A broker's message cannot be led to an address of its own, so this one names it.
Result<Answer> take_message(const RoutedCall& routed) {
  const AnswerByMessage said = MAKEGOOD_TRY(read_body(routed.call, said_by_message));
  const auto address = address_in(said.callback);
  if (!address)
    return Error{Errc::invalid, "callback is no address of a step; send the header saga-callback as it was."};
  return take_answer(routed, *address, said.answer);
}

constexpr auto about_answers = std::to_array<Operation>({
    {.id = "answer_by_message",
     .method = "POST",
     .path = "/api/saga/answers",
     .role = Role::anyone,
     .handler = take_message,
     .tag = "sagas",
     .summary = "A participant that was asked over a bus tells by a message what became of its step",
     .description =
         "For messages that are taken in from a broker and led here by a route: the body names the address that "
         "the\nmessage had as `saga-callback`, whose token is all that is needed. Repeating it is safe.\n",
     .body = {"StepAnswerByMessage",
              reads<said_by_message>,
              {R"({"callback": "https://makegood.example/api/saga/executions/order-7/steps/mail/answer?token=1.…",)"
               R"( "outcome": "ok", "output": {"mailId": "m-9"}})"}},
     .replies = {Reply{200, "Committed; it will be heard.", "StepAnswerTaken", writes<put_acknowledged>}},
     .also = {409, 507}},
    {.id = "answer_step",
     .method = "POST",
     .path = "/api/saga/executions/{execution}/steps/{step}/answer",
     .role = Role::anyone,
     .handler = take_callback,
     .tag = "sagas",
     .summary = "A participant that had answered 202 tells what became of its step",
     .description = "The address is in the header `makegood-callback` of the request; its token is all that is needed. "
                    "Repeating\nit is safe. `progress` is no answer: the attempt has all its time again.\n",
     .query = reads<token_query>,
     .body = {"StepAnswer",
              reads<said_answer>,
              {R"({"outcome": "ok", "output": {"paymentId": "p-9"}})",
               R"({"outcome": "fail", "code": "INSUFFICIENT_FUNDS"})"}},
     .replies = {Reply{200, "Committed; it will be heard.", "StepAnswerTaken", writes<put_acknowledged>}},
     .also = {409, 507}},
});

}  // namespace

Operations saga_answer_operations() { return about_answers; }

}  // namespace makegood::api
