// What operators see: lists, counts.
#include <map>

#include "tests/conformance/saga_suite.hpp"

namespace makegood::conformance {
namespace {

using Ids = std::vector<std::string>;

}  // namespace

TEST_P(SagaLists, ListsTheNewestFirst) {
  const SagaPage page = value_of(view().list({}, 0, 100, 10'000));
  std::vector<std::pair<std::string, SagaState>> seen;
  for (const SagaSummary& item : page.items) seen.emplace_back(item.id, item.state);
  EXPECT_EQ(seen, (std::vector<std::pair<std::string, SagaState>>{{"o6", SagaState::pending},
                                                                  {"r5", SagaState::compensated},
                                                                  {"o4", SagaState::running},
                                                                  {"o3", SagaState::manual},
                                                                  {"o2", SagaState::waiting},
                                                                  {"o1", SagaState::failed},
                                                                  {"o0", SagaState::completed}}));
  EXPECT_EQ(page.next, 0);
  EXPECT_EQ(page.items[1].tenant_id, "acme");
  EXPECT_EQ(page.items[1].ended_at, clock().now() - 1h);
  EXPECT_EQ(page.items[2].definition, "order");
  EXPECT_EQ(page.items[2].ended_at, std::nullopt);
  EXPECT_EQ(page.items[4].waits_for, "retry");
}

TEST_P(SagaLists, FiltersByWhatIsAskedFor) {
  EXPECT_EQ(listed({.tenant_id = "acme"}), Ids({"r5"}));
  EXPECT_EQ(listed({.definition = "refund"}), Ids({"r5"}));
  EXPECT_EQ(listed({.id_prefix = "o"}), Ids({"o6", "o4", "o3", "o2", "o1", "o0"}));
  EXPECT_EQ(listed({.id_prefix = "o%"}), Ids());
  EXPECT_EQ(listed({.started_from = clock().now()}), Ids({"o6"}));
  EXPECT_EQ(listed({.definition = "order", .started_before = clock().now()}), Ids({"o4", "o3", "o2", "o1", "o0"}));
}

TEST_P(SagaLists, FiltersByState) {
  EXPECT_EQ(listed({.states = {SagaState::completed}}), Ids({"o0"}));
  EXPECT_EQ(listed({.states = {SagaState::running}}), Ids({"o4"}));
  EXPECT_EQ(listed({.states = {SagaState::pending}}), Ids({"o6"}));
  EXPECT_EQ(listed({.states = {SagaState::running, SagaState::manual}}), Ids({"o4", "o3"}));
}

TEST_P(SagaLists, FiltersByStatesThatAreRare) {
  EXPECT_EQ(listed({.states = {SagaState::failed}}), Ids({"o1"}));
  EXPECT_EQ(listed({.states = {SagaState::waiting, SagaState::manual}}), Ids({"o3", "o2"}));
  EXPECT_EQ(listed({.states = {SagaState::failed, SagaState::compensated, SagaState::manual}}),
            Ids({"r5", "o3", "o1"}));
  EXPECT_EQ(listed({.tenant_id = "acme", .states = {SagaState::failed, SagaState::compensated}}), Ids({"r5"}));
  EXPECT_EQ(listed({.id_prefix = "o3", .states = {SagaState::waiting, SagaState::manual}}), Ids({"o3"}));
  EXPECT_EQ(listed({.states = {SagaState::cancelled}}), Ids());
}

TEST_P(SagaLists, ListsPageByPage) {
  const Ids all = {"o6", "r5", "o4", "o3", "o2", "o1", "o0"};
  for (const std::size_t rows_max : {1U, 2U, 3U, 7U, 8U}) {
    for (const std::size_t looked_max : {1U, 2U, 5U, 100U}) EXPECT_EQ(paged({}, rows_max, looked_max), all);
  }
  EXPECT_EQ(paged({.id_prefix = "o1"}, 2, 1), Ids({"o1"}));
}

TEST_P(SagaLists, ListsRareStatesPageByPage) {
  const SagaFilter rare{.states = {SagaState::failed, SagaState::compensated, SagaState::manual, SagaState::waiting}};
  for (const std::size_t rows_max : {1U, 2U, 4U, 5U}) {
    for (const std::size_t looked_max : {1U, 2U, 100U}) {
      EXPECT_EQ(paged(rare, rows_max, looked_max), Ids({"r5", "o3", "o2", "o1"}));
    }
  }
  EXPECT_EQ(paged({.definition = "order", .states = rare.states}, 1, 1), Ids({"o3", "o2", "o1"}));
}

TEST_P(SagaLists, LooksAtNoMoreThanItMay) {
  const SagaPage page = value_of(view().list({.id_prefix = "o0"}, 0, 10, 2));
  EXPECT_TRUE(page.items.empty());
  EXPECT_GT(page.next, numbers_[0]);
}

TEST_P(SagaLists, CountsWhatIsNotDoneWell) {
  std::map<std::pair<std::string, SagaState>, std::size_t> counts;
  for (const SagaCounts& of : value_of(view().counts())) counts[{of.definition, of.state}] = of.count;
  EXPECT_EQ(counts,
            (std::map<std::pair<std::string, SagaState>, std::size_t>{{{"order", SagaState::pending}, 1},
                                                                      {{"order", SagaState::running}, 1},
                                                                      {{"order", SagaState::waiting}, 1},
                                                                      {{"order", SagaState::manual}, 1},
                                                                      {{"order", SagaState::failed}, 1},
                                                                      {{"refund", SagaState::compensated}, 1}}));
}

TEST_P(SagaSuite, CountsThoseThatWaitForAParticipantThatNobodyHas) {
  const Sequence number = start(a_start("o1"));
  take();
  SagaTurn turn = next_turn(number);
  turn.parked.push_back(a_parked_saga(number, clock().now() + 5s));
  turn.parked.back().summary.waits_for = "participant";
  commit(turn);
  const auto counts = value_of(view().counts());
  ASSERT_EQ(counts.size(), 1U);
  EXPECT_EQ(counts[0].count, 1U);
  EXPECT_EQ(counts[0].unattended_count, 1U);
}

TEST_P(SagaSuite, ListsNothingOfAnEmptyLog) {
  EXPECT_TRUE(listed({}).empty());
  EXPECT_TRUE(listed({.states = {SagaState::failed}}).empty());
  EXPECT_TRUE(value_of(view().counts()).empty());
}

}  // namespace makegood::conformance
