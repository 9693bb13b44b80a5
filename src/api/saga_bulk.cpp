// What operators ask of all executions that a filter names.
#include <algorithm>
#include <array>
#include <deque>
#include <limits>
#include <utility>

#include "api/asking.hpp"
#include "api/job_answers.hpp"
#include "api/paging.hpp"
#include "api/saga_view.hpp"
#include "api/saga_view_json.hpp"
#include "core/saga/request.hpp"
#include "makegood/spi/registry.hpp"

namespace makegood::api {
namespace {

constexpr std::size_t bulk_page_rows = 100;
constexpr std::size_t looked_at_once_max = 10'000;

constexpr auto bulk_verbs = std::to_array<std::string_view>(
    {"pause", "resume", "cancel", "retry", "skip", "compensate", "decide", "resolve", "repin", "annotate"});
constexpr auto bulk_choices = std::to_array<std::string_view>({"approve", "reject", "done", "not_done", "undone"});
constexpr auto bulk_states =
    std::to_array<std::string_view>({"pending", "running", "waiting", "paused", "manual", "compensating", "completed",
                                     "compensated", "failed", "cancelled"});

constexpr IntegerRange versions{1, std::numeric_limits<std::int32_t>::max()};

/// Beside what the store filters by.
struct BulkFilter {
  SagaFilter kept = {};
  std::int64_t version = 0;  ///< 0: any.
  std::string step = {};
  std::string code = {};

  bool names(const SagaSummary& item) const {
    return (version == 0 || item.version == version) && (step.empty() || item.step == step) &&
           (code.empty() || item.code == code);
  }
};

BulkFilter bulk_filter(Fields& fields) {
  BulkFilter filter;
  filter.kept.tenant_id = fields.text("tenant", tenant_rule);
  filter.kept.definition = fields.text("definition", {.says = "Only executions of this saga."});
  filter.kept.id_prefix = fields.text("id", {.says = "Only ids that begin so."});
  fields.require("state");
  if (const auto state = fields.choice("state", bulk_states, "The state that they must be in.")) {
    filter.kept.states = {static_cast<SagaState>(*state)};
  }
  filter.kept.started_from = fields.time("from", "When it began, this moment included.");
  filter.kept.started_before = fields.time("until", "This moment not included.");
  filter.version = fields.integer("version", versions, "Only executions of this version.").value_or(0);
  filter.step = fields.text("step", {.says = "Only those that stand at this step, or failed there."});
  filter.code = fields.text("code", {.says = "Only those that failed with this code."});
  return filter;
}

struct BulkCall {
  BulkFilter filter = {};
  core::SagaRequest request = {};
  BulkPace pace = {};
  bool is_dry = false;
};

void check_bulk(Fields& body, const core::SagaRequest& request) {
  const bool needs_step = request.verb == "skip" || request.verb == "decide" || request.verb == "resolve";
  if (needs_step && request.step.empty()) body.mistake("step", "is missing: it names the step");
  const auto place = std::ranges::find(bulk_choices, request.choice) - bulk_choices.begin();
  const bool is_decision = place < 2;
  const bool is_resolution = place >= 2 && place < 5;
  if (request.verb == "decide" && !is_decision) body.mistake("choice", "is not approve or reject");
  if (request.verb == "repin" && request.version == 0) body.mistake("to_version", "is missing: it names the version");
  if (request.verb == "resolve" && !is_resolution) body.mistake("choice", "is not done, not_done or undone");
}

BulkCall bulk_in(Fields& body) {
  BulkCall call;
  body.require("verb");
  if (const auto verb = body.choice("verb", bulk_verbs, "What is asked of each."))
    call.request.verb = bulk_verbs[*verb];
  body.require("filter");
  body.object(
      "filter", "SagaBulkFilter", [&](Fields& fields) { call.filter = bulk_filter(fields); }, "Which executions.");
  call.request.step = body.text("step", {.says = "Of skip, decide and resolve; otherwise whatever is stuck."});
  if (const auto choice = body.choice("choice", bulk_choices, "Of decide and resolve.")) {
    call.request.choice = bulk_choices[*choice];
  }
  call.request.version = body.integer("to_version", versions, "Of repin: the one to go on by.").value_or(0);
  call.request.reason = body.text("reason", {.is_required = true, .bytes_max = 1000, .says = "Kept in each journal."});
  call.pace = pace_in(body);
  call.is_dry = body.flag("dry_run", "Only count them.");
  check_bulk(body, call.request);
  return call;
}

/// Executions that the filter names, the newest first; what is started after it has begun is no part of it.
class Named {
 public:
  Named(SagaView& sagas, const BulkFilter& filter) : sagas_(sagas), filter_(filter) {}

  /// At most so many; none: there are no more.
  Result<std::vector<SagaSummary>> next(std::size_t count_max) {
    while (found_.empty() && !is_over_) MAKEGOOD_TRY(read());
    std::vector<SagaSummary> taken;
    while (!found_.empty() && taken.size() < count_max) {
      taken.push_back(std::move(found_.front()));
      found_.pop_front();
    }
    return taken;
  }

 private:
  Result<> read() {
    SagaPage page = MAKEGOOD_TRY(sagas_.list(filter_.kept, before_, bulk_page_rows, looked_at_once_max));
    for (SagaSummary& item : page.items) {
      if (filter_.names(item)) found_.push_back(std::move(item));
    }
    before_ = page.next;
    is_over_ = page.next == 0;
    return {};
  }

  SagaView& sagas_;
  const BulkFilter& filter_;
  std::deque<SagaSummary> found_;
  Sequence before_ = 0;
  bool is_over_ = false;
};

Result<std::size_t> count_named(SagaView& sagas, const BulkCall& call) {
  Named named(sagas, call.filter);
  std::size_t count = 0;
  while (true) {
    const auto some = MAKEGOOD_TRY(named.next(bulk_page_rows));
    if (some.empty()) return std::min(count, call.pace.limit.value_or(count));
    count += some.size();
  }
}

class SagaBulk final : public BulkWork {
 public:
  SagaBulk(const BulkCall& call, std::unique_ptr<SagaView> sagas)
      : call_(call), sagas_(std::move(sagas)), named_(*sagas_, call.filter) {}

  Result<std::size_t> count() override { return count_named(*sagas_, call_); }

  Result<std::size_t> ask_for_more(std::size_t count_max) override {
    const auto items = MAKEGOOD_TRY(named_.next(count_max));
    if (items.empty()) return std::size_t{0};
    std::vector<NewMessage> rows;
    for (const SagaSummary& item : items) rows.push_back(row_for(item));
    const auto appended = MAKEGOOD_TRY(sagas_->append(rows));
    for (std::size_t index = 0; index < items.size(); ++index) {
      open_.emplace_back(items[index].execution, appended[index].sequence);
    }
    return items.size();
  }

  /// Each is in the journal of its execution, carried out or refused. What is not there yet is asked for again.
  Result<> hear(BulkProgress& progress) override {
    for (std::size_t left = std::min(open_.size(), bulk_page_rows); left > 0; --left) {
      const auto asked = open_.front();
      open_.pop_front();
      const auto record = MAKEGOOD_TRY(record_of_request(*sagas_, asked.first, asked.second));
      if (!record) {
        open_.push_back(asked);
        continue;
      }
      record->kind == core::RecordKind::refused ? ++progress.refused : ++progress.done;
    }
    return {};
  }

  std::size_t open_count() const override { return open_.size(); }

 private:
  NewMessage row_for(const SagaSummary& item) const {
    core::SagaRequest request = call_.request;
    // It begins by itself at any moment; a note is for any state.
    if (item.state != SagaState::pending && request.verb != "annotate") request.seen_state = to_string(item.state);
    NewMessage row = core::request_row(item.id, request);
    row.tenant_id = item.tenant_id;
    return row;
  }

  const BulkCall& call_;
  const std::unique_ptr<SagaView> sagas_;
  Named named_;
  std::deque<std::pair<Sequence, Sequence>> open_;  ///< Executions, and the requests of them.
};

void put_bulk_filter(Writer& writer, const BulkFilter& filter) {
  const auto put_if_set = [&](std::string_view name, const std::string& text) {
    if (!text.empty()) put(writer, name, std::string_view(text));
  };
  put_if_set("tenant", filter.kept.tenant_id);
  put_if_set("definition", filter.kept.definition);
  put_if_set("id", filter.kept.id_prefix);
  if (!filter.kept.states.empty()) put(writer, "state", to_string(filter.kept.states.front()));
  if (filter.kept.started_from) put(writer, "from", *filter.kept.started_from);
  if (filter.kept.started_before) put(writer, "until", *filter.kept.started_before);
  if (filter.version > 0) put(writer, "version", filter.version);
  put_if_set("step", filter.step);
  put_if_set("code", filter.code);
}

JobWish job_of(const ApiContext& here, BulkCall call) {
  return {.kind = "saga",
          .verb = call.request.verb,
          .filter = object_answer(200, [&](Writer& to) { put_bulk_filter(to, call.filter); }).body,
          .operator_name = call.request.operator_name,
          .reason = call.request.reason,
          .run = [call, here](const BulkControl& control, std::optional<Duration> answer_wait,
                              const TellProgress& tell) -> Result<> {
            SagaBulk bulk(call, MAKEGOOD_TRY(open_sagas_view(here)));
            BulkPace pace = call.pace;
            pace.answer_wait = answer_wait;
            return carry_out(bulk, pace, control, tell);
          }};
}

Result<Answer> ask_sagas(const RoutedCall& routed) {
  BulkCall call = MAKEGOOD_TRY(read_body(routed.call, bulk_in));
  call.request.operator_name = operator_of(routed.call);
  SagaView& sagas = *MAKEGOOD_TRY(routed.connections.sagas());
  if (call.is_dry) return answer_of(MAKEGOOD_TRY(count_named(sagas, call)), put_count);
  return begin_job(routed, job_of(routed.connections.api_context(), std::move(call)));
}

constexpr auto about_bulk = std::to_array<Operation>({
    {.id = "ask_executions",
     .method = "POST",
     .path = "/api/saga/bulk",
     .role = Role::operate,
     .handler = ask_sagas,
     .tag = "sagas",
     .summary = "Ask the same of all executions that a filter names",
     .description =
         R"(With `dry_run` only counts them. Otherwise a job asks for each, at the given rate; each journal has the
operator and the reason, and names the request. `GET /api/jobs/{job}` tells how far it is; `/pause`, `/resume` and
DELETE let it stand, go on and end. A job ends with its process; what it has asked for is carried out, and the same
call goes on with what still matches.
)",
     .body = {"SagaBulk", reads<bulk_in>, {R"({"verb": "retry", "filter": {"state": "manual", "code": "SAGA.HELD"},
                   "reason": "The proxy is mended.", "rate_per_second": 50})"}},
     .replies = {Reply{200, "The count of a dry run; or, on a store without a server, the job as it ended.",
                       "Job|Count", writes<put_count>},
                 Reply{202, "The job has begun.", "Job", writes<put_job>}},
     .also = {409, 507}},
});

}  // namespace

Operations saga_bulk_operations() { return about_bulk; }

}  // namespace makegood::api
