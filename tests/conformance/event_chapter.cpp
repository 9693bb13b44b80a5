// What Makegood itself writes: messages that are part of a turn.
#include "tests/conformance/store_suite.hpp"

namespace makegood::conformance {

TEST_P(StoreSuite, ATurnAppendsItsOwnMessages) {
  enqueue(a_message("m1"));
  LaneOwner owner = take();
  NewMessage event{.topic = "makegood.delivery.dead", .payload = R"({"code":"NO"})", .tenant_id = "acme"};
  owner.commit({.position = {.reached = 1}, .messages = {event, event}});
  const Found found = owner.look(all_beyond(1));
  ASSERT_EQ(found.rows.size(), 2U);
  EXPECT_EQ(sequences(found.rows), std::vector<Sequence>({2, 3}));
  EXPECT_EQ(found.rows[0]->topic, event.topic);
  EXPECT_EQ(found.rows[0]->content, event.payload);
  EXPECT_EQ(found.rows[0]->tenant_id, "acme");
  EXPECT_NE(found.rows[0]->event_id, found.rows[1]->event_id) << "each has an id of its own";
}

TEST_P(StoreSuite, NobodyElseTellsWhatOnlyMakegoodKnows) {
  const NewMessage forged{.topic = "makegood.destination.disabled", .payload = "{}"};
  EXPECT_EQ(code_of(store().enqueue(std::vector{forged})), Errc::invalid);
  EXPECT_EQ(code_of(begin()->enqueue(forged)), Errc::invalid);
  EXPECT_TRUE(log().empty());
}

TEST_P(StoreSuite, AFencedTurnAppendsNothing) {
  LaneOwner slow = take("a");
  take(store(), "b", "a");
  const NewMessage event{.topic = "makegood.delivery.dead", .payload = "{}"};
  EXPECT_EQ(code_of(slow.try_commit({.messages = {event}})), Errc::fenced);
  EXPECT_TRUE(log().empty());
}

TEST_P(StoreSuite, EveryOwnerLearnsTheSameIncarnation) {
  const std::string first = take("a").taken().incarnation;
  EXPECT_FALSE(first.empty());
  EXPECT_EQ(take(store(), "b", "a").taken().incarnation, first);
}

TEST_P(StoreSuite, KeepsWhoIsFailingAndWhyOneIsDisabled) {
  LaneOwner owner = take("a");
  const Position position{
      .sides = {{.scope = {"fn:a"}, .why = SideLane::Why::disabled, .is_paused = true, .because = "410 \"Gone\""}},
      .failing = {{"fn:b", {.since = TimePoint(Duration(1'234'567)), .count = 3}},
                  {"fn:c",
                   {.since = TimePoint(Duration(1'234'567)),
                    .count = 3,
                    .unanswered_since = TimePoint(Duration(2'345'678)),
                    .unanswered = 2}}}};
  owner.commit({.position = position});
  EXPECT_EQ(take(store(), "b", "a").taken().position, position);
}

}  // namespace makegood::conformance
