// A turn is written whole, right after the one before it, or nothing of it is.
#include "tests/conformance/saga_suite.hpp"

namespace makegood::conformance {
namespace {

/// Everything that a turn can carry, so that nothing of it can slip through.
void fill(SagaTurn& turn, const SagaEnd& end, const SagaParked& parked) {
  turn.journal = {{.execution = end.summary.execution, .revision = 1, .records = "[1]"}};
  turn.ends = {end};
  turn.parked = {parked};
  turn.messages = {{.topic = "makegood.saga.completed", .payload = "{}"}};
}

}  // namespace

TEST_P(SagaSuite, WritesAllOfATurnThatFollows) {
  const Sequence ended = start(a_start("o1"));
  const Sequence waits = start(a_start("o2"));
  take();
  SagaTurn turn = next_turn(waits);
  fill(turn, an_end(ended), a_parked_saga(waits, clock().now(), "o2"));
  commit(turn);

  const auto loaded = load(ended);
  ASSERT_TRUE(loaded && loaded->end);
  ASSERT_EQ(loaded->journal.size(), 1U);
  EXPECT_EQ(loaded->journal[0].records, "[1]");
  EXPECT_EQ(loaded->end->output, "{\"ok\":true}");
  EXPECT_EQ(loaded->end->summary.ended_at, clock().now());
  EXPECT_EQ(value_of(store().due(clock().now(), 10)), std::vector<Sequence>({waits}));
  EXPECT_EQ(outbox_topics(), std::vector<std::string>({"makegood.saga.completed"}));
}

TEST_P(SagaSuite, WritesNothingWhenFenced) {  // The same turn as above: it would have had effects.
  const Sequence ended = start(a_start("o1"));
  const Sequence waits = start(a_start("o2"));
  take("a");
  SagaTurn turn = next_turn(waits);
  fill(turn, an_end(ended), a_parked_saga(waits, clock().now(), "o2"));
  take("b");  // Its turn is the last now.
  EXPECT_EQ(code_of(try_commit(turn)), Errc::fenced);

  const auto loaded = load(ended);
  ASSERT_TRUE(loaded);
  EXPECT_TRUE(loaded->journal.empty());
  EXPECT_FALSE(loaded->end);
  EXPECT_TRUE(value_of(store().due(clock().now(), 10)).empty());
  EXPECT_EQ(value_of(store().unfinished(1, waits, 10)), std::vector<Sequence>({ended, waits}));
  EXPECT_TRUE(outbox_topics().empty());
}

TEST_P(SagaSuite, FencesATurnThatTheStoreHasForgotten) {
  take();
  ++turn_;
  EXPECT_EQ(code_of(try_commit(next_turn())), Errc::fenced);
}

TEST_P(SagaSuite, WritesNothingOfATurnWhoseJournalIsTaken) {  // A revision is written once.
  const Sequence execution = start(a_start("o1"));
  take();
  SagaTurn first = next_turn(execution);
  first.journal = {{.execution = execution, .revision = 1, .records = "[1]"}};
  commit(first);

  SagaTurn again = next_turn(execution);
  fill(again, an_end(execution), a_parked_saga(execution, clock().now()));
  EXPECT_EQ(code_of(try_commit(again)), Errc::conflict);

  EXPECT_FALSE(load(execution)->end);
  EXPECT_TRUE(outbox_topics().empty());
  commit(next_turn(execution));  // The turn before is still the last.
}

TEST_P(SagaSuite, KeepsTheFirstEventThatHasAnId) {
  take();
  SagaTurn turn = next_turn();
  turn.messages = {{.topic = "makegood.saga.completed", .payload = "1", .event_id = "e1"}};
  commit(turn);
  SagaTurn again = next_turn();
  again.messages = {{.topic = "makegood.saga.failed", .payload = "2", .event_id = "e1"},
                    {.topic = "makegood.saga.failed", .payload = "3", .event_id = "e2"}};
  commit(again);
  EXPECT_EQ(outbox_topics(), std::vector<std::string>({"makegood.saga.completed", "makegood.saga.failed"}));
}

TEST_P(SagaSuite, AppendsWhatExecutionsAskOfEachOtherToItsOwnLog) {
  start(a_start("o1"));
  take();
  SagaTurn turn = next_turn();
  NewMessage child = a_start("o2");
  NewMessage taken = a_start("o1");
  taken.payload = R"({"other":1})";
  turn.requests = {child, taken, {.topic = "makegood.saga.undo", .payload = R"({"execution":"o2"})"}};
  commit(turn);
  const std::vector<MessagePtr> rows = log(store());
  ASSERT_EQ(rows.size(), 3U) << "an id that is there already stays as it is";
  EXPECT_EQ(rows[1]->event_id, "o2");
  EXPECT_EQ(rows[2]->topic, "makegood.saga.undo");
  EXPECT_NE(rows[0]->content, taken.payload);
}

TEST_P(SagaSuite, GivesTheNextOwnerThePosition) {
  const Sequence execution = start(a_start("o1"));
  take("a");
  SagaTurn turn = next_turn(execution);
  turn.turn.position.under_way = {{"saga", {execution}}};
  turn.turn.lease = {};
  commit(turn);
  const auto taken = value_of(under_test().connect()->take("b", saga_lease, {}));
  ASSERT_TRUE(taken);
  EXPECT_EQ(taken->position, turn.turn.position);
}

TEST_P(SagaSuite, IsOwnedByOneAtATime) {
  take("a");
  EXPECT_FALSE(value_of(under_test().connect()->take("b", saga_lease, {})));
}

TEST_P(SagaSuite, MovesRetriesBackWithTheClock) {
  const Sequence retried = start(a_start("o1"));
  const Sequence timed = start(a_start("o2"));
  take();
  SagaTurn turn = next_turn(timed);
  turn.turn.position.clock = clock().now();
  turn.parked = {a_parked_saga(retried, clock().now() + 1min), a_parked_saga(timed, clock().now() + 1min, "o2")};
  turn.parked[1].summary.waits_for = "timer";
  commit(turn);

  SagaTurn later = next_turn(timed);
  later.turn.position.clock = clock().now() - 1h;
  later.turn.set_back = 1h;
  commit(later);
  EXPECT_EQ(value_of(view().parked(retried))->due_at, clock().now() + 1min - 1h);
  EXPECT_EQ(value_of(view().parked(timed))->due_at, clock().now() + 1min);
}

}  // namespace makegood::conformance
