// Side lanes: how far they may read, what is handed over to them, and when they merge.
#include <algorithm>

#include "tests/unit/core/lane_on_store.hpp"

namespace makegood::core {
namespace {

class LaneSides : public LaneOnStore {};

TEST_F(LaneSides, AreTold) {
  take();
  news();
  pause();
  EXPECT_EQ(news(), std::vector({LaneNews::Kind::side_opened}));
  EXPECT_EQ(lane().figures().side_lane_count, 1U);
  resume();
  run();
  EXPECT_EQ(news(), std::vector({LaneNews::Kind::side_merged}));
  EXPECT_EQ(lane().figures().side_lane_count, 0U);
}

TEST_F(LaneSides, TheMainLaneReadsPastTheirRowsWithoutATurn) {
  add_destination("fn:b", "bids.*");
  take();
  pause();
  enqueue(5);
  EXPECT_FALSE(relay().exchange()) << "how far it has looked can wait";
  EXPECT_EQ(lane().reached(), 5);
  EXPECT_EQ(position().reached, 0);
  pass(options.lease / 3);
  EXPECT_TRUE(relay().exchange()) << "the renewal of the lease tells it";
  EXPECT_EQ(position().reached, 5);
}

TEST_F(LaneSides, NeverReadBeyondTheMainLane) {
  take();
  pause();
  enqueue(3);
  exchange();
  resume();
  enqueue(4);
  const LookFor wanted = lane().look_for(now());
  ASSERT_EQ(wanted.sides.size(), 1U);
  EXPECT_EQ(wanted.reached, 3);
  EXPECT_EQ(wanted.sides[0].until, 3);
}

TEST_F(LaneSides, NeverReadAnOpenNumber) {
  take();
  pause();
  enqueue(message());
  const auto late = begin_transaction();
  ASSERT_TRUE(late->enqueue(message()));
  enqueue(message());
  exchange();
  resume();
  EXPECT_EQ(lane().look_for(now()).open, NumberSet({2}));
  silent = {"fn:a"};
  run();
  EXPECT_EQ(received(), Numbers({1, 3}));
  ASSERT_TRUE(late->commit());
  run();
  EXPECT_EQ(received(), Numbers({1, 3, 2}));
}

// A side lane that has read 1, 3 and 4 and is past 2, which is open.
class LaneSideWithALateRow : public LaneOnStore {
 protected:
  LaneSideWithALateRow() {
    options.limits.window_rows_max = 8;  // With three in hand it does not merge.
    take();
    pause();
    enqueue(message());
    late = begin_transaction();
    EXPECT_TRUE(late->enqueue(message()));
    enqueue(2);
    exchange();
    resume();
    exchange();
    EXPECT_EQ(sent(), Numbers({1, 3, 4}));
    EXPECT_EQ(side(all_of_a)->reached, 4);
  }

  std::unique_ptr<memory::Transaction> late;
};

TEST_F(LaneSideWithALateRow, IsHandedItInTheSameTurn) {  // I1
  EXPECT_EQ(position().open, NumberSet({2}));
  ASSERT_TRUE(late->commit());
  exchange();
  EXPECT_TRUE(position().open.empty());
  EXPECT_TRUE(position().under_way.empty());
  ASSERT_TRUE(side(all_of_a));
  EXPECT_EQ(side(all_of_a)->under_way, Numbers({1, 2, 3, 4}));
}

TEST_F(LaneSideWithALateRow, DeliversIt) {
  ASSERT_TRUE(late->commit());
  exchange();
  for (const Sequence number : {1, 3, 4}) succeeds(number);
  run();
  EXPECT_EQ(received(), Numbers({1, 3, 4, 2}));
  EXPECT_EQ(position(), (Position{.reached = 4}));
}

TEST_F(LaneSideWithALateRow, DeliversItAfterATakeOver) {  // I1
  ASSERT_TRUE(late->commit());
  exchange();
  die_and_take_over();
  forget_received();
  run();
  Numbers again = received();
  std::ranges::sort(again);
  EXPECT_EQ(again, Numbers({1, 2, 3, 4}));
}

TEST_F(LaneSides, MergeOnlyWhenTheyHaveReadAsFarAsTheLaneAround) {
  enqueue(1);
  take();
  pause();
  enqueue(3);
  exchange();
  resume();
  exchange();
  ASSERT_TRUE(side(all_of_a)) << "it has only now caught up";
  EXPECT_EQ(side(all_of_a)->reached, 4);
  EXPECT_EQ(side(all_of_a)->under_way, Numbers({1, 2, 3, 4}));
  exchange();
  EXPECT_FALSE(side(all_of_a));
}

TEST_F(LaneSides, TakeWhatIsInFlightAlongWhenTheyMerge) {  // I1
  take();
  pause();
  enqueue(3);
  exchange();
  resume();
  exchange();
  ASSERT_EQ(sent(), Numbers({1, 2, 3}));
  exchange();
  EXPECT_EQ(position(), (Position{.reached = 3, .under_way = {{"fn:a", {1, 2, 3}}}}));
  succeeds(2);
  fails(3);
  exchange();
  EXPECT_EQ(position().under_way, (Position{.under_way = {{"fn:a", {1}}}}.under_way));
  EXPECT_TRUE(position().sides.empty());
  EXPECT_EQ(parked(3)->state, ParkedState::waiting);
}

TEST_F(LaneSides, TheTurnThatMergesReadsTheNextRowsOfTheScope) {  // I1
  take();
  pause();
  enqueue(2);
  exchange();
  resume();
  exchange();
  enqueue(2);
  exchange();
  EXPECT_EQ(position(), (Position{.reached = 4, .under_way = {{"fn:a", {1, 2, 3, 4}}}}));
}

TEST_F(LaneSides, DoNotMergeWhileTheyWouldSoonLeaveAgain) {
  options.limits.window_rows_max = 8;
  take();
  pause();
  enqueue(2);
  exchange();
  resume();
  exchange();
  sent();
  exchange();
  EXPECT_TRUE(side(all_of_a)) << "two in hand of eight";
  succeeds(1);
  exchange();
  exchange();
  EXPECT_FALSE(side(all_of_a));
}

TEST_F(LaneSides, TheMainLaneHasFourTurnsForOneOfASideLane) {
  options.limits.window_rows_max = 60;
  destination().in_flight_max = 1;
  take();
  pause("fn:a", "acme");
  enqueue(20, message("", "acme"));
  exchange();
  resume("fn:a", "acme");
  enqueue(20, message("", "other"));
  exchange();
  exchange();
  int of_acme = 0;
  for (int i = 0; i < 20; ++i) {
    const Numbers next = sent();
    ASSERT_EQ(next.size(), 1U);
    of_acme += next.front() <= 20 ? 1 : 0;
    succeeds(next.front());
  }
  EXPECT_EQ(of_acme, 4);
}

TEST_F(LaneSides, KeysKeepTheirOrderAcrossLanes) {  // I4
  enqueue(2, message("k", "acme"));
  take();
  exchange();
  ASSERT_EQ(sent(), Numbers({1}));
  pause("fn:a", "acme");
  resume("fn:a", "acme");
  enqueue(2, message("k", "acme"));
  exchange();
  exchange();
  EXPECT_EQ(sent(), Numbers()) << "the first is still in flight, whoever carries it";
  succeeds(1);
  run();
  EXPECT_EQ(received(), Numbers({1, 2, 3, 4}));
}

TEST_F(LaneSides, AreAnAlarmWhenTheirDestinationIsGone) {
  enqueue(2);
  take();
  exchange();
  pause();
  options.destinations.clear();
  options.routes.clear();
  add_destination("fn:b");
  restart_with_new_settings();
  const auto alarms = lane().take_alarms();
  ASSERT_EQ(alarms.size(), 1U);
  EXPECT_EQ(alarms[0].code, Errc::no_route);
  enqueue(1);
  run_for(10s);
  EXPECT_EQ(received("fn:b"), Numbers({3}));
  EXPECT_EQ(side(all_of_a)->under_way, Numbers({1, 2})) << "nothing of it is lost";
}

}  // namespace
}  // namespace makegood::core
