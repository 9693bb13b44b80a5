#include "tests/conformance/saga_suite.hpp"

#include <stdexcept>
#include <utility>

namespace makegood::conformance {
namespace {

constexpr std::size_t plenty = std::size_t{64} << 20;

LookFor everything() { return {.owner = "somebody", .rows_max = 10'000, .bytes_max = plenty}; }

}  // namespace

NewMessage a_start(const std::string& id, const std::string& definition, const std::string& input) {
  return {.topic = definition, .payload = input, .event_id = id};
}

NewMessage a_request(const std::string& topic, const std::string& payload) {
  return {.topic = topic, .payload = payload};
}

Sequence SagaSuite::start(const NewMessage& start) { return value_of(store().append({&start, 1})).front().sequence; }

void SagaSuite::take(const Owner& owner) {
  const auto taken = value_of(store().take(owner, saga_lease, owner_));
  if (!taken) throw std::runtime_error("the log is owned by somebody else");
  owner_ = owner;
  turn_ = taken->turn;
}

SagaTurn SagaSuite::next_turn(Sequence reached) const {
  return {.turn = {.owner = owner_, .after = turn_, .lease = saga_lease, .position = {.reached = reached}}};
}

Result<Committed> SagaSuite::try_commit(const SagaTurn& turn) {
  auto committed = store().commit(turn);
  if (committed) turn_ = committed->turn;
  return committed;
}

SagaSummary SagaSuite::summary(Sequence execution, SagaState state, const std::string& id,
                               const std::string& definition) {
  return {.execution = execution,
          .tenant_id = "default",
          .id = id,
          .definition = definition,
          .version = 1,
          .state = state,
          .step = "charge",
          .code = "DECLINED",
          .error = "the card was declined",
          .started_at = clock().now()};
}

SagaEnd SagaSuite::an_end(Sequence execution, SagaState state, const std::string& id, const std::string& definition) {
  return {.summary = summary(execution, state, id, definition), .revision = 1, .output = "{\"ok\":true}"};
}

SagaParked SagaSuite::a_parked_saga(Sequence execution, std::optional<TimePoint> due_at, const std::string& id) {
  SagaParked parked{.summary = summary(execution, SagaState::waiting, id), .due_at = due_at};
  parked.summary.waits_for = "retry";
  return parked;
}

std::optional<SagaLoaded> SagaSuite::load(Sequence execution) {
  auto loaded = value_of(store().load({&execution, 1}));
  return loaded.empty() ? std::nullopt : std::optional(std::move(loaded.front()));
}

std::vector<std::string> SagaSuite::outbox_topics() {
  std::vector<std::string> topics;
  for (const MessagePtr& row : value_of(under_test().connect_outbox()->look(everything())).rows) {
    topics.emplace_back(row->topic);
  }
  return topics;
}

std::vector<MessagePtr> SagaSuite::log(SagaStore& store) { return value_of(store.look(everything())).rows; }

std::vector<std::string> SagaSuite::listed(const SagaFilter& filter) {
  std::vector<std::string> ids;
  for (const SagaSummary& item : value_of(view().list(filter, 0, 100, 10'000)).items) ids.push_back(item.id);
  return ids;
}

SagaLists::SagaLists() {
  for (int i = 0; i < 5; ++i) numbers_.push_back(start(a_start("o" + std::to_string(i))));
  NewMessage refund = a_start("r5", "refund");
  refund.tenant_id = "acme";
  start(a_request("makegood.saga.cancel", "{}"));
  numbers_.push_back(start(refund));
  take();
  SagaTurn turn = next_turn(numbers_[5]);
  turn.turn.position.under_way = {{"saga", {numbers_[4]}}};
  turn.ends = {an_end(numbers_[0], SagaState::completed, "o0"), an_end(numbers_[1], SagaState::failed, "o1"),
               an_end(numbers_[5], SagaState::compensated, "r5", "refund")};
  turn.ends[2].summary.tenant_id = "acme";
  turn.parked = {a_parked_saga(numbers_[2], clock().now() + 1min, "o2"), a_parked_saga(numbers_[3], {}, "o3")};
  turn.parked[1].summary.state = SagaState::manual;
  commit(turn);
  clock().advance(1h);
  numbers_.push_back(start(a_start("o6")));
}

std::vector<std::string> SagaLists::paged(const SagaFilter& filter, std::size_t rows_max, std::size_t looked_max) {
  std::vector<std::string> ids;
  Sequence before = 0;
  for (int pages = 0; pages < 100; ++pages) {
    const SagaPage page = value_of(view().list(filter, before, rows_max, looked_max));
    EXPECT_LE(page.items.size(), rows_max);
    for (const SagaSummary& item : page.items) ids.push_back(item.id);
    if (page.next == 0) return ids;
    before = page.next;
  }
  ids.emplace_back("never ends");
  return ids;
}

}  // namespace makegood::conformance
