// After deaths: what was under way is sent again, then alone, then with nothing beside it; and in the end it is dead.
#include <algorithm>

#include "tests/unit/core/lane_on_store.hpp"

namespace makegood::core {
namespace {

using Deaths = std::map<Sequence, unsigned>;

class LaneSuspects : public LaneOnStore {
 protected:
  void send(std::size_t count) {
    enqueue(count);
    take();
    exchange();
    ASSERT_EQ(sent().size(), count);
  }
  /// The owner dies; what the next one sends first.
  Numbers sent_after_death() {
    die_and_take_over();
    exchange();
    return sent();
  }
  Deaths deaths() { return position().suspects["fn:a"]; }
  std::optional<Position::Alone> alone() { return position().alone; }
};

TEST_F(LaneSuspects, AreSentAgainTogetherAfterOneDeath) {
  send(3);
  EXPECT_EQ(sent_after_death(), Numbers({1, 2, 3}));
  EXPECT_EQ(deaths(), Deaths({{1, 1}, {2, 1}, {3, 1}}));
  EXPECT_FALSE(alone());
}

TEST_F(LaneSuspects, AreSentOnlyWhenTheTurnThatCountsTheDeathIsCommitted) {  // I5
  send(2);
  die_and_take_over();
  ASSERT_TRUE(relay().look());
  EXPECT_EQ(sent(), Numbers());
  relay().commit();
  EXPECT_EQ(sent(), Numbers({1, 2}));
}

TEST_F(LaneSuspects, AreNoneAfterAGracefulEnd) {
  send(2);
  stop_and_take_over();
  exchange();
  EXPECT_EQ(sent(), Numbers({1, 2}));
  EXPECT_TRUE(position().suspects.empty());
}

TEST_F(LaneSuspects, AreNoneWhenTheLaneWasLostToOneself) {
  send(2);
  take_again();
  exchange();
  EXPECT_EQ(sent(), Numbers({1, 2}));
  EXPECT_TRUE(position().suspects.empty());
}

TEST_F(LaneSuspects, AreNoneAnyMoreWhenTheyHaveEnded) {
  send(2);
  sent_after_death();
  succeeds(1);
  exchange();
  EXPECT_EQ(deaths(), Deaths({{2, 1}}));
}

TEST_F(LaneSuspects, GoAloneFromTheSecondDeathOn) {
  send(3);
  sent_after_death();
  EXPECT_EQ(sent_after_death(), Numbers({1}));
  EXPECT_EQ(deaths(), Deaths({{1, 2}, {2, 2}, {3, 2}}));
  succeeds(1);
  exchange();
  EXPECT_EQ(sent(), Numbers({2}));
  fails(2);
  exchange();
  EXPECT_EQ(sent(), Numbers({3}));
}

TEST_F(LaneSuspects, AreNamedByThePositionBeforeTheyGoAlone) {  // I5
  send(2);
  sent_after_death();
  die_and_take_over();
  ASSERT_TRUE(relay().look());
  EXPECT_EQ(turn().position.alone, (Position::Alone{"fn:a", 1}));
  EXPECT_EQ(sent(), Numbers());
  relay().commit();
  EXPECT_EQ(sent(), Numbers({1}));
  succeeds(1);
  ASSERT_TRUE(relay().look());
  EXPECT_EQ(turn().position.alone, (Position::Alone{"fn:a", 2}));
  EXPECT_EQ(sent(), Numbers());
}

TEST_F(LaneSuspects, GoAloneBesideNormalTraffic) {
  send(2);
  sent_after_death();
  enqueue(1);
  EXPECT_EQ(sent_after_death(), Numbers({1, 3}));
}

TEST_F(LaneSuspects, AreToldWhenTheyGoAlone) {
  send(1);
  sent_after_death();
  sent_after_death();
  const auto told = lane().take_news();
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0].kind, LaneNews::Kind::suspect_alone);
  EXPECT_EQ(told[0].sequence, 1);
}

TEST_F(LaneSuspects, OnlyTheOneThatWasAloneIsToBlame) {
  send(3);
  sent_after_death();
  sent_after_death();
  sent_after_death();
  EXPECT_EQ(deaths(), Deaths({{1, 3}, {2, 2}, {3, 2}}));
}

TEST_F(LaneSuspects, HaveNothingBesideThemFromTheThirdDeathOn) {
  send(2);
  sent_after_death();
  sent_after_death();
  enqueue(2);
  ASSERT_EQ(sent_after_death(), Numbers({1}));
  exchange();
  EXPECT_EQ(sent(), Numbers());
  succeeds(1);
  exchange();
  EXPECT_EQ(sent(), Numbers({2, 3, 4}));
}

TEST_F(LaneSuspects, AreDeadAtTheFifthDeath) {
  send(2);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(sent_after_death().front(), 1) << i;
  EXPECT_FALSE(parked(1));
  die_and_take_over();
  run();
  ASSERT_TRUE(parked(1));
  EXPECT_EQ(parked(1)->state, ParkedState::dead);
  EXPECT_EQ(parked(1)->error_code, "TX.POISON");
  EXPECT_EQ(parked(1)->deaths, 5U);
  EXPECT_FALSE(parked(2)) << "its neighbour is innocent";
  EXPECT_EQ(received().back(), 2);
  EXPECT_EQ(position(), (Position{.reached = 2}));
}

TEST_F(LaneSuspects, AreAloneForASecondAtMost) {
  send(1);
  sent_after_death();
  sent_after_death();
  enqueue(1);
  ASSERT_EQ(sent_after_death(), Numbers({1}));
  const MonotonicTime named_at = now();
  pass(999ms);
  exchange();
  EXPECT_EQ(sent(), Numbers());
  EXPECT_EQ(lane().next_exchange(now()), named_at + 1s);
  pass(1ms);
  ASSERT_TRUE(relay().look());
  EXPECT_EQ(sent(), Numbers()) << "a turn says first that it is alone no longer";
  relay().commit();
  EXPECT_FALSE(alone());
  EXPECT_EQ(sent(), Numbers({2}));
}

TEST_F(LaneSuspects, HoldUpNeitherOthersNorSuspectsBesideSomethingThatHangs) {
  add_destination("fn:b");
  enqueue(2);
  take();
  exchange();
  sends();
  for (int i = 0; i < 4; ++i) {
    die_and_take_over();
    exchange();
    sends();
  }
  enqueue(1);
  exchange();
  for (int second = 0; second < 4; ++second) {  // Four suspects.
    for (const auto& [sequence, destination] : sends()) {
      if (destination == "fn:b") succeeds(sequence, destination);
    }
    pass(1s);
    exchange();
    exchange();
  }
  sends();
  const Numbers healthy = received("fn:b");
  EXPECT_NE(std::ranges::find(healthy, 3), healthy.end()) << "fn:a hangs";
}

TEST_F(LaneSuspects, ThatAreSlowAreNoPoison) {
  send(3);
  for (int kills = 0; kills < 14; ++kills) {
    die_and_take_over();
    for (int i = 0; i < 4; ++i) {
      exchange();
      sent();
      pass(600ms);
    }
  }
  EXPECT_EQ(parked_count(), 0U);
}

TEST_F(LaneSuspects, ThatKillAreFoundBehindSlowOnes) {
  send(3);
  const auto kills = [&](const Numbers& numbers) { return std::ranges::find(numbers, 3) != numbers.end(); };
  for (int life = 0; life < 12; ++life) {
    die_and_take_over();
    exchange();
    for (int i = 0; i < 10 && !kills(sent()); ++i) {
      pass(500ms);
      exchange();
    }
  }
  ASSERT_TRUE(parked(3));
  EXPECT_EQ(parked(3)->error_code, "TX.POISON");
  EXPECT_FALSE(parked(1));
  EXPECT_FALSE(parked(2));
}

TEST_F(LaneSuspects, AreClearedInTheirRowWhenTheyAreRetries) {
  send(1);
  fails(1);
  exchange();
  pass(1s);
  exchange();
  ASSERT_EQ(sent(), Numbers({1}));
  for (int i = 0; i < 3; ++i) sent_after_death();
  ASSERT_EQ(parked(1)->deaths, 3U);
  pass(1s);
  exchange();
  EXPECT_EQ(parked(1)->deaths, 0U);
  EXPECT_TRUE(parked(1)->under_way);
  EXPECT_EQ(parked(1)->attempts, 2U);
  succeeds(1);
  exchange();
  EXPECT_EQ(parked(1)->state, ParkedState::done);
}

TEST_F(LaneSuspects, KeepTheirDeathsInTheirRowWhenTheyAreRetries) {
  send(1);
  fails(1);
  exchange();
  pass(1s);
  exchange();
  ASSERT_EQ(sent(), Numbers({1}));
  EXPECT_EQ(sent_after_death(), Numbers({1}));
  EXPECT_EQ(parked(1)->deaths, 1U);
  EXPECT_EQ(parked(1)->attempts, 2U) << "it was counted already";
  sent_after_death();
  EXPECT_EQ(parked(1)->deaths, 2U);
  EXPECT_EQ(alone(), (Position::Alone{"fn:a", 1}));
  for (int i = 0; i < 3; ++i) sent_after_death();
  EXPECT_EQ(parked(1)->state, ParkedState::dead);
  EXPECT_EQ(parked(1)->error_code, "TX.POISON");
}

TEST_F(LaneSuspects, TakeTheirDeathsAlongWhenTheyAreParked) {
  send(1);
  sent_after_death();
  fails(1);
  exchange();
  EXPECT_EQ(parked(1)->deaths, 1U);
  EXPECT_TRUE(position().suspects.empty());
}

TEST_F(LaneSuspects, WaitWhileTheirDestinationIsPausedAndHoldNobodyUp) {
  add_destination("fn:b", "bids.*");
  send(1);
  sent_after_death();
  die_and_take_over();
  pause();
  NewMessage bid = message();
  bid.topic = "bids.placed";
  enqueue(bid);
  exchange();
  EXPECT_EQ(sends(), Sends({{2, "fn:b"}}));
  resume();
  exchange();
  exchange();
  EXPECT_EQ(sends(), Sends({{1, "fn:a"}, {2, "fn:a"}}));
}

TEST_F(LaneSuspects, AReplayOfAKillerGoesAloneAtOnce) {
  send(1);
  for (int i = 0; i < 5; ++i) sent_after_death();
  ASSERT_EQ(parked(1)->state, ParkedState::dead);
  EXPECT_EQ(ask({.kind = RequestKind::replay, .sequence = 1, .destination = "fn:a", .operator_name = {}}), "done");
  exchange();
  EXPECT_EQ(alone(), (Position::Alone{"fn:a", 1}));
  EXPECT_EQ(sent(), Numbers({1}));
}

TEST_F(LaneSuspects, RowsAreReadOneAtATimeAfterThreeFruitlessTakings) {
  options.limits.batch_rows_max = 2;
  enqueue(10);
  take();
  die_and_take_over();
  die_and_take_over();
  EXPECT_EQ(lane().look_for(now()).rows_max, 2U);
  die_and_take_over();
  EXPECT_EQ(lane().look_for(now()).rows_max, 1U);
  exchange();
  EXPECT_EQ(lane().look_for(now()).rows_max, 1U);
  exchange();
  EXPECT_EQ(lane().look_for(now()).rows_max, 2U) << "a batch's worth of rows has been read";
}

class LaneLookFails : public LaneOnStore {};

TEST_F(LaneLookFails, AndGoesBackToWhatTheLastTurnCovers) {
  add_destination("fn:b", "bids.*");
  take();
  pause();
  enqueue(5);
  exchange();
  ASSERT_EQ(lane().reached(), 5) << "no turn has said so";
  lane().look_failed();
  EXPECT_EQ(lane().reached(), 0);
  resume();
  run();
  EXPECT_EQ(received(), Numbers({1, 2, 3, 4, 5}));
}

TEST_F(LaneLookFails, AndWhatATurnCoversStays) {
  enqueue(3);
  take();
  exchange();
  lane().look_failed();
  EXPECT_EQ(lane().reached(), 3);
  EXPECT_EQ(sent(), Numbers({1, 2, 3}));
}

}  // namespace
}  // namespace makegood::core
