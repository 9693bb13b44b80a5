// A start is a row of the log, written in whatever transaction its caller likes.
#include <algorithm>

#include "tests/conformance/no_open_numbers.hpp"
#include "tests/conformance/saga_suite.hpp"

namespace makegood::conformance {

TEST_P(SagaSuite, ALookReadsStartsAndRequestsInTheirOrder) {
  start(a_start("o1"));
  start(a_request("makegood.saga.cancel", "{\"id\":\"o1\"}"));
  start(a_start("o2"));
  take();
  const Found found = value_of(store().look({.owner = "a", .after = turn_, .rows_max = 2, .bytes_max = 1 << 20}));
  ASSERT_EQ(found.rows.size(), 2U);
  EXPECT_EQ(found.rows[0]->event_id, "o1");
  EXPECT_EQ(found.rows[1]->topic, "makegood.saga.cancel");
  EXPECT_TRUE(found.is_more);
  const Found rest = value_of(
      store().look({.owner = "a", .after = turn_, .reached = found.looked_to, .rows_max = 2, .bytes_max = 1 << 20}));
  ASSERT_EQ(rest.rows.size(), 1U);
  EXPECT_EQ(rest.rows[0]->event_id, "o2");
}

TEST_P(SagaSuite, AppendsStartsWhoseIdsWereDrawnInTheirOrder) {
  std::vector<NewMessage> starts;
  for (const char* id : {"drawn-1", "drawn-2", "drawn-3"}) {
    starts.push_back(a_start(id));
    starts.back().is_id_drawn = true;
  }
  const auto appended = value_of(store().append(starts));
  ASSERT_EQ(appended.size(), 3U);
  for (std::size_t i = 0; i < starts.size(); ++i) {
    EXPECT_FALSE(appended[i].was_there);
    EXPECT_EQ(value_of(view().find("default", starts[i].event_id)), appended[i].sequence);
  }
  EXPECT_LT(appended[0].sequence, appended[1].sequence);
  EXPECT_LT(appended[1].sequence, appended[2].sequence);
}

TEST_P(SagaSuite, AppendsAfterAStartThatWasRefused) {
  NewMessage again = a_start("drawn-1");
  again.is_id_drawn = true;
  value_of(store().append({&again, 1}));
  // A store may look for it all the same, and then finds it.
  const auto repeated = store().append({&again, 1});
  EXPECT_TRUE(!repeated || repeated->front().was_there);
  const NewMessage next = a_start("next");
  EXPECT_FALSE(value_of(store().append({&next, 1})).front().was_there);
}

TEST_P(SagaSuite, KeepsTheTimeThatAStartNames) {
  NewMessage later = a_start("later");
  const TimePoint time = std::chrono::floor<std::chrono::seconds>(system_clock().now()) + std::chrono::hours(24);
  later.available_at = time;
  const Sequence number = start(later);
  const Sequence at_once = start(a_start("at once"));
  const auto rows = log(store());
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0]->available_at, time);
  EXPECT_LE(rows[1]->available_at, rows[1]->created_at);
  take();
  SagaTurn turn = next_turn(at_once);
  SagaParked waits = a_parked_saga(number, time, "later");
  waits.summary.state = SagaState::pending;
  turn.parked = {waits};
  commit(turn);
  EXPECT_EQ(value_of(store().next_due()), time);
  EXPECT_EQ(value_of(store().unfinished(1, at_once, 10)), std::vector{at_once});
  const auto loaded = load(number);
  ASSERT_TRUE(loaded);
  EXPECT_TRUE(loaded->journal.empty()) << "it has not begun";
  EXPECT_EQ(loaded->start->available_at, time);
}

TEST_P(SagaSuite, StartsInTheCallersOwnTransaction) {
  const auto starter = begin();
  must(starter->start("order", "o1", "{\"total\":10}"));
  EXPECT_EQ(value_of(view().find("default", "o1")), std::nullopt);
  must(starter->commit());
  EXPECT_EQ(value_of(view().find("default", "o1")), 1);
  ASSERT_EQ(log(store()).size(), 1U);
  EXPECT_EQ(log(store())[0]->content, "{\"total\":10}");
}

TEST_P(SagaSuite, AStartThatIsRolledBackIsNeverSeen) {
  {
    const auto starter = begin();
    must(starter->start("order", "o1", "{}"));
  }
  start(a_start("o2"));
  const auto rows = log(store());
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0]->event_id, "o2");
  EXPECT_EQ(value_of(store().find("default", "o1")), std::nullopt);
}

TEST_P(SagaSuite, AStartThatIsCommittedLateIsSeen) {
  if (!store().features().numbers_may_stay_open) GTEST_SKIP() << no_open_numbers;
  const auto late = begin();
  must(late->start("order", "late", "{}"));
  const Sequence early = start(a_start("early"));
  take();
  const Found first = value_of(store().look({.owner = "a", .after = turn_, .rows_max = 9, .bytes_max = 1 << 20}));
  ASSERT_EQ(first.rows.size(), 1U);
  ASSERT_EQ(first.open.count(), 1U);
  SagaTurn turn = next_turn(early);
  turn.turn.position.open = first.open;
  commit(turn);

  must(late->commit());
  const Found second = value_of(store().look(
      {.owner = "a", .after = turn_, .reached = early, .open = first.open, .rows_max = 9, .bytes_max = 1 << 20}));
  ASSERT_EQ(second.rows.size(), 1U);
  EXPECT_EQ(second.rows[0]->event_id, "late");
  EXPECT_EQ(value_of(store().unfinished(1, early, 9)).size(), 2U);
}

TEST_P(SagaSuite, TheSameStartAgainIsTheFirstOne) {
  const Sequence first = start(a_start("o1", "order", "{\"total\":10}"));
  const NewMessage again = a_start("o1", "order", "{\"total\":10}");
  const auto answer = value_of(view().append({&again, 1}));
  EXPECT_EQ(answer.at(0).sequence, first);
  EXPECT_TRUE(answer.at(0).was_there);
}

TEST_P(SagaSuite, TheSameIdWithAnotherInputIsAConflict) {
  start(a_start("o1", "order", "{\"total\":10}"));
  for (const NewMessage& other :
       {a_start("o1", "order", "{\"total\":11}"), a_start("o1", "refund", "{\"total\":10}")}) {
    EXPECT_EQ(code_of(view().append({&other, 1})), Errc::conflict);
    EXPECT_EQ(code_of(store().append({&other, 1})), Errc::conflict);
  }
  EXPECT_EQ(log(store()).size(), 1U);
}

TEST_P(SagaSuite, TheSameIdTwiceByHandIsRefused) {
  start(a_start("o1"));
  const auto starter = begin();
  const auto again = starter->start("order", "o1", "{\"other\":1}");
  EXPECT_FALSE(again && starter->commit());
  EXPECT_EQ(log(store()).size(), 1U);
}

TEST_P(SagaSuite, AppendsAllOrNothing) {
  start(a_start("o1", "order", "1"));
  const std::vector<NewMessage> requests = {a_start("o2"), a_start("o1", "order", "2")};
  EXPECT_EQ(code_of(view().append(requests)), Errc::conflict);
  EXPECT_EQ(value_of(store().find("default", "o2")), std::nullopt);
}

TEST_P(SagaSuite, TakesNoRequestOfAnotherKind) {
  const NewMessage request = a_request("makegood.delivery.dead", "{}");
  EXPECT_EQ(code_of(view().append({&request, 1})), Errc::invalid);
  EXPECT_EQ(code_of(store().append({&request, 1})), Errc::invalid);
}

TEST_P(SagaSuite, NoticesWhatOthersHaveAppended) {
  take();
  (void)value_of(store().look({.owner = "a", .after = turn_, .rows_max = 9, .bytes_max = 1 << 20}));
  const NewMessage request = a_start("o1");
  (void)value_of(view().append({&request, 1}));
  EXPECT_TRUE(store().has_changed());
}

}  // namespace makegood::conformance
