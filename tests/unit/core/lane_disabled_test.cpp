// A destination that says it is gone, or fails for days, stands still until an operator speaks; nothing of it is lost.
#include <algorithm>

#include "tests/unit/core/lane_on_store.hpp"

namespace makegood::core {
namespace {

class LaneDisabled : public LaneOnStore {
 protected:
  void says_it_is_gone(Sequence sequence) {
    relay().answer(sequence, "fn:a", Outcome::gone("TX.REJECTED", "410 from the receiver"));
    exchange();
  }
  void disable_with(std::size_t count) {
    enqueue(count);
    take();
    exchange();
    ASSERT_EQ(sent().size(), count);
    says_it_is_gone(1);
  }
  bool is_disabled() {
    const auto lane = side(all_of_a);
    return lane && lane->is_paused && lane->why == Why::disabled;
  }
};

TEST_F(LaneDisabled, StandsStillWhenItSaysThatItIsGone) {
  disable_with(3);
  ASSERT_TRUE(is_disabled());
  EXPECT_NE(side(all_of_a)->because.find("410"), std::string::npos);
  forget_received();
  enqueue(5);
  run_for(10min);
  EXPECT_EQ(received(), Numbers());
}

TEST_F(LaneDisabled, TakesNoMessageWithIt) {
  disable_with(3);
  succeeds(2);
  exchange();
  EXPECT_EQ(parked_count(), 0U) << "the one that was refused is no dead letter";
  EXPECT_EQ(side(all_of_a)->under_way, Numbers({1, 3}));
}

TEST_F(LaneDisabled, GoesOnInOrderWhenItIsResumed) {
  enqueue(4, message("k"));
  take();
  exchange();
  ASSERT_EQ(sent(), Numbers({1}));
  says_it_is_gone(1);
  forget_received();
  EXPECT_EQ(resume(), "done");
  run_for(1min);
  EXPECT_EQ(received(), Numbers({1, 2, 3, 4}));
  EXPECT_FALSE(side(all_of_a)) << "it has merged";
}

TEST_F(LaneDisabled, IsToldByNewsAndByAnAlarm) {
  disable_with(1);
  const auto kinds = news();
  EXPECT_EQ(std::ranges::count(kinds, LaneNews::Kind::disabled), 1);
  const auto alarms = lane().take_alarms();
  ASSERT_EQ(alarms.size(), 1U);
  EXPECT_NE(alarms[0].message.find("makegood outbox resume fn:a"), std::string::npos);
}

TEST_F(LaneDisabled, IsSaidOnceHoweverManySayIt) {
  disable_with(3);
  news();
  lane().take_alarms();
  says_it_is_gone(2);
  says_it_is_gone(3);
  EXPECT_TRUE(news().empty());
  EXPECT_TRUE(lane().take_alarms().empty());
}

TEST_F(LaneDisabled, LeavesOthersAlone) {
  add_destination("fn:b");
  enqueue(2);
  take();
  exchange();
  sends();
  says_it_is_gone(1);
  enqueue(3);
  run_for(1s);
  EXPECT_EQ(received("fn:b"), Numbers({1, 2, 3, 4, 5}));
}

TEST_F(LaneDisabled, StaysSoUnderTheNextOwner) {
  disable_with(2);
  die_and_take_over();
  forget_received();
  run_for(10min);
  EXPECT_TRUE(is_disabled());
  EXPECT_EQ(received(), Numbers());
}

TEST_F(LaneDisabled, DoesNotObeyAResumeFromBeforeIt) {
  enqueue(1);
  take();
  exchange();
  sent();
  const auto earlier = request({.kind = RequestKind::resume, .destination = "fn:a", .operator_name = {}});
  says_it_is_gone(1);
  EXPECT_NE(answer_to(earlier).find("refused"), std::string::npos);
  EXPECT_TRUE(is_disabled());
}

// An hour stands for the days that are the default.
class LaneFailing : public LaneDisabled {
 protected:
  LaneFailing() {
    destination().retry = {
        .attempts_max = 1'000'000, .base = 1min, .factor = 1, .jitter = 0, .cap = 1min, .unreachable_for = 1h};
    down = {"fn:a"};
    enqueue(3);
    take();
  }
};

TEST_F(LaneFailing, IsDisabledAfterALongTimeWithoutAnAnswer) {
  run_for(59min);
  EXPECT_FALSE(is_disabled());
  run_for(3min);
  EXPECT_TRUE(is_disabled());
}

TEST_F(LaneFailing, BeginsAnewWithOneSuccess) {
  run_for(50min);
  down.clear();
  run_for(3min);
  EXPECT_TRUE(position().failing.empty());
  down = {"fn:a"};
  enqueue(3);
  run_for(50min);
  EXPECT_FALSE(is_disabled());
}

TEST_F(LaneFailing, IsNotDisabledWhenASuccessComesBeforeTheDecision) {
  destination().circuit.failures_max = 0;
  restart_with_new_settings();
  run_for(59min);
  silent = {"fn:a"};
  run_for(2min);
  relay().answer(1, "fn:a", Outcome::retry("DOWN"));
  succeeds(2);
  exchange();
  EXPECT_FALSE(is_disabled());
}

TEST_F(LaneFailing, IsDisabledWhenItSaysSoWhateverElseItSays) {
  silent = {"fn:a"};
  run_for(1min);
  relay().answer(1, "fn:a", Outcome::gone("TX.REJECTED", "410 from the receiver"));
  succeeds(2);
  exchange();
  EXPECT_TRUE(is_disabled());
}

TEST_F(LaneFailing, IsCountedAcrossOwners) {
  run_for(50min);
  die_and_take_over();
  run_for(12min);
  EXPECT_TRUE(is_disabled());
}

TEST_F(LaneFailing, GetsAllItsTimeAgainWhenResumed) {
  run_for(62min);
  ASSERT_TRUE(is_disabled());
  EXPECT_EQ(resume(), "done");
  run_for(50min);
  EXPECT_FALSE(is_disabled());
  run_for(12min);
  EXPECT_TRUE(is_disabled());
}

TEST_F(LaneFailing, NeverIsWithoutALimit) {
  destination().retry.unreachable_for = {};
  restart_with_new_settings();
  run_for(3h);
  EXPECT_FALSE(is_disabled());
}

TEST_F(LaneFailing, IsNotTakenForGoneAfterTwoBadMomentsFarApart) {
  destination().retry.cap = destination().retry.base = 3h;
  restart_with_new_settings();
  run_for(1min);
  pass(2h);
  enqueue(2);
  run_for(1min);
  EXPECT_FALSE(is_disabled()) << "nobody tried in between";
}

}  // namespace
}  // namespace makegood::core
