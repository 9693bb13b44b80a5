// How much is not through yet, where, and since when.
#include "tests/conformance/store_suite.hpp"

namespace makegood::conformance {
namespace {

const DestinationBacklog& at_destination(const Backlog& backlog, const std::string& name) {
  for (const DestinationBacklog& place : backlog.destinations) {
    if (place.destination == name) return place;
  }
  throw std::runtime_error("no figures of " + name);
}

}  // namespace

TEST_P(StoreSuite, AnEmptyOutboxHasNoBacklog) {
  const Backlog backlog = value_of(view()->backlog());
  EXPECT_EQ(backlog.pending_count, 0U);
  EXPECT_FALSE(backlog.oldest_pending_at);
  EXPECT_TRUE(backlog.destinations.empty());
}

TEST_P(StoreSuite, CountsWhatHasNotBeenRead) {
  const auto view = this->view();
  const Sequence first = enqueue(a_message("m1"));
  clock().advance(1s);
  const TimePoint second_at = clock().now();
  enqueue_all({a_message("m2"), a_message("m3")});
  EXPECT_EQ(value_of(view->backlog()).pending_count, 3U) << "even if nobody ever owned the lane";
  LaneOwner owner = take();
  owner.commit({.position = {.reached = first}});
  const Backlog backlog = value_of(view->backlog());
  EXPECT_EQ(backlog.pending_count, 2U);
  EXPECT_EQ(backlog.oldest_pending_at, second_at);
  EXPECT_TRUE(backlog.destinations.empty());
  owner.commit({.position = {.reached = 3}});
  EXPECT_EQ(value_of(view->backlog()).pending_count, 0U);
  EXPECT_FALSE(value_of(view->backlog()).oldest_pending_at);
}

TEST_P(StoreSuite, CountsWhatIsParkedAtEachDestination) {
  const TimePoint now = clock().now();
  for (int i = 1; i <= 9; ++i) {
    enqueue(a_message("m" + std::to_string(i)));
    clock().advance(1s);
  }
  take().commit({.position = {.reached = 9, .under_way = {{"fn:a", {8, 9}}}},
                 .parked = {a_parked(1).dead(), a_parked(2).quarantined(), a_parked(3).done(),
                            a_parked(4).waiting_until(now).after_attempts(1), a_parked(5).waiting_until(now + 1h),
                            a_parked(6).held(), a_parked(7).waiting_until(now).after_attempts(1).under_way(),
                            a_parked(2, "fn:b").dead(), a_parked(3, "fn:c").done(), a_parked(6, "fn:d").held(),
                            a_parked(7, "fn:d").held()}});
  const Backlog backlog = value_of(view()->backlog());
  ASSERT_EQ(backlog.destinations.size(), 3U) << "fn:c has nothing left";
  const DestinationBacklog& a = at_destination(backlog, "fn:a");
  EXPECT_EQ(a.under_way_count, 3U);
  EXPECT_EQ(a.waiting_count, 2U);
  EXPECT_EQ(a.held_count, 1U);
  EXPECT_EQ(a.dead_count, 1U);
  EXPECT_EQ(a.quarantined_count, 1U);
  EXPECT_EQ(a.oldest_at, now + 3s) << "what is dead has ended";
  const DestinationBacklog& b = at_destination(backlog, "fn:b");
  EXPECT_EQ(b.dead_count, 1U);
  EXPECT_FALSE(b.oldest_at);
  EXPECT_EQ(at_destination(backlog, "fn:d").held_count, 2U);
  EXPECT_EQ(at_destination(backlog, "fn:d").oldest_at, now + 5s);
}

TEST_P(StoreSuite, TheBacklogKnowsTheOldestThatASideLaneHasNotReached) {
  const TimePoint now = clock().now();
  for (const char* name : {"m1", "m2"}) {
    enqueue(a_message(name));
    clock().advance(1s);
  }
  for (const char* name : {"a1", "a2"}) {
    enqueue(of_acme(name));
    clock().advance(1s);
  }
  Position position{.reached = 4};
  position.sides = {{.scope = {.destination = "fn:a", .tenant_id = "acme"}, .is_paused = true, .reached = 0},
                    {.scope = {.destination = "fn:b"}, .why = SideLane::Why::broken, .reached = 4, .under_way = {2}}};
  take().commit(
      {.position = position, .routing = Routing{.version = 1, .from = 0, .routes = {{"*", "fn:a"}, {"*", "fn:b"}}}});
  const Backlog backlog = value_of(view()->backlog());
  EXPECT_EQ(at_destination(backlog, "fn:a").oldest_at, now + 2s) << "the first of acme";
  EXPECT_EQ(at_destination(backlog, "fn:a").under_way_count, 0U);
  EXPECT_EQ(at_destination(backlog, "fn:b").oldest_at, now + 1s);
  EXPECT_EQ(at_destination(backlog, "fn:b").under_way_count, 1U);
}

}  // namespace makegood::conformance
