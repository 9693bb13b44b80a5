#include "tests/unit/api/saga_place.hpp"

#include <stdexcept>

#include "base/saga_json.hpp"
#include "tests/support/value_of.hpp"

namespace makegood::api {
namespace {

const TimePoint beginning = from_milliseconds(1767323045000);
constexpr Duration a_lease = std::chrono::minutes(10);

TimePoint after(int at_ms) { return beginning + std::chrono::milliseconds(at_ms); }

}  // namespace

SagaDefinition an_order_process() {
  SagaStep create{.name = "createOrder", .group = 0, .action = {"http:orders/create"}};
  create.compensation = SagaCall{.uri = "http:orders/cancel"};
  SagaStep pay{.name = "payment", .group = 1, .action = {"http:payments/charge"}};
  pay.compensation = SagaCall{.uri = "http:payments/refund"};
  SagaStep reserve{.name = "reserveStock", .group = 1, .action = {"http:stock/reserve"}};
  reserve.compensation = SagaCall{.uri = "http:stock/release"};
  const SagaStep confirm{.name = "confirm", .group = 2, .action = {"http:stock/confirm"}, .is_pivot = true};
  return {.name = "orderProcess", .steps = {create, pay, reserve, confirm}};
}

SagaPlace::SagaPlace() : sagas_(value_of(open_saga_store(url()))), view_(value_of(open_saga_view(url()))) {
  value_of(view_->put_definition({.name = "orderProcess", .document = encode(an_order_process()), .source = "{}"}));
  turn_ = value_of(sagas_->take("owner", a_lease, "owner")).value().turn;
}

Sequence SagaPlace::begin(const std::string& id, const std::string& tenant_id) {
  const NewMessage row{
      .topic = "orderProcess", .payload = R"({"userId":1001})", .event_id = id, .tenant_id = tenant_id};
  return value_of(view_->append({&row, 1})).front().sequence;
}

SagaTurn SagaPlace::next_turn(Sequence execution, const std::vector<core::SagaRecord>& records) {
  SagaTurn turn{.turn = {.owner = "owner", .after = turn_, .lease = a_lease, .position = {.reached = execution}}};
  turn.journal.push_back({.execution = execution, .revision = ++revisions_[execution], .records = encode(records)});
  return turn;
}

void SagaPlace::commit(const SagaTurn& turn) { turn_ = value_of(sagas_->commit(turn)).turn; }

void SagaPlace::decide(Sequence execution, const std::vector<core::SagaRecord>& records) {
  commit(next_turn(execution, records));
}

void SagaPlace::end(Sequence execution, const std::string& id, SagaState state,
                    const std::vector<core::SagaRecord>& records) {
  SagaTurn turn = next_turn(execution, records);
  turn.ends.push_back({.summary = {.execution = execution,
                                   .tenant_id = "default",
                                   .id = id,
                                   .definition = "orderProcess",
                                   .version = 1,
                                   .state = state,
                                   .step = "payment",
                                   .code = "DECLINED",
                                   .started_at = beginning},
                       .revision = revisions_[execution]});
  commit(turn);
}

void SagaPlace::park(Sequence execution, const std::string& id, SagaState state, const std::string& waits_for,
                     const std::vector<core::SagaRecord>& records) {
  SagaTurn turn = next_turn(execution, records);
  turn.parked.push_back({.summary = {.execution = execution,
                                     .tenant_id = "default",
                                     .id = id,
                                     .definition = "orderProcess",
                                     .version = 1,
                                     .state = state,
                                     .waits_for = waits_for,
                                     .started_at = beginning}});
  commit(turn);
}

MessagePtr SagaPlace::row(Sequence number) {
  constexpr std::size_t plenty = std::size_t{1} << 20;
  const auto found = value_of(sagas_->look({.owner = "owner", .rows_max = 1000, .bytes_max = plenty}));
  for (const MessagePtr& each : found.rows) {
    if (each->sequence == number) return each;
  }
  throw std::runtime_error("no such row");
}

Answer SagaPlace::show(const std::string& id) { return get("/api/saga/executions/" + id); }

core::SagaRecord begun() { return {.kind = core::RecordKind::begun, .at = beginning, .version = 1}; }

core::SagaRecord started(const std::string& step, int at_ms, core::Direction direction, std::uint32_t attempt) {
  return {.kind = core::RecordKind::started,
          .at = after(at_ms),
          .step = step,
          .direction = direction,
          .round = 1,
          .attempt = attempt,
          .until = after(at_ms) + std::chrono::seconds(30)};
}

core::SagaRecord answered(const std::string& step, int at_ms, SagaOutcome outcome, const std::string& text,
                          core::Direction direction, std::uint32_t attempt) {
  const bool is_ok = outcome == SagaOutcome::ok;
  return {.kind = core::RecordKind::answered,
          .at = after(at_ms),
          .step = step,
          .direction = direction,
          .round = 1,
          .attempt = attempt,
          .outcome = outcome,
          .code = is_ok ? std::string() : text,
          .body = is_ok ? text : std::string()};
}

core::SagaRecord about(core::RecordKind kind, int at_ms, const std::string& step) {
  return {.kind = kind, .at = after(at_ms), .step = step};
}

}  // namespace makegood::api
