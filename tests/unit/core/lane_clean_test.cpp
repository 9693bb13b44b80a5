// The cleaner is part of a turn, in bounded steps.
#include "tests/unit/core/lane_story.hpp"

namespace makegood::core {
namespace {

class LaneCleans : public LaneStory {
 protected:
  LaneCleans() {
    options.is_cleaner_enabled = true;
    options.clean_interval = 2s;
    options.safety_interval = 1h;
    options.clean = {.retention = 24h, .dead_retention = 48h, .rows_max = 10};
  }
};

TEST_F(LaneCleans, AtItsInterval) {
  take();
  ASSERT_FALSE(look());
  EXPECT_EQ(lane().next_exchange(now()), now() + 2s);
  pass(2s);
  ASSERT_TRUE(look());
  ASSERT_TRUE(turn().clean);
  EXPECT_EQ(turn().clean->retention, 24h);
  EXPECT_EQ(turn().clean->dead_retention, 48h);
  EXPECT_EQ(turn().clean->rows_max, 10U);
}

TEST_F(LaneCleans, NotWithTheTurnsInBetween) {
  take();
  pass(1999ms);
  ASSERT_TRUE(look({.rows = {row(1)}}));
  EXPECT_FALSE(turn().clean);
}

TEST_F(LaneCleans, AgainAfterAnInterval) {
  take();
  pass(2s);
  ASSERT_TRUE(look());
  commit(9);
  EXPECT_EQ(lane().next_exchange(now()), now() + 2s);
  ASSERT_TRUE(look({.rows = {row(1)}}));
  EXPECT_FALSE(turn().clean);
}

TEST_F(LaneCleans, OnAtOnceWhenAStepWasFull) {
  take();
  pass(2s);
  ASSERT_TRUE(look());
  commit(10);
  EXPECT_EQ(lane().next_exchange(now()), now());
  ASSERT_TRUE(look());
  EXPECT_TRUE(turn().clean);
  commit(3);
  EXPECT_EQ(lane().next_exchange(now()), now() + 2s);
}

TEST_F(LaneCleans, NothingWhenItIsSwitchedOff) {
  options.is_cleaner_enabled = false;
  take();
  pass(3s);
  ASSERT_TRUE(look({.rows = {row(1)}}));
  EXPECT_FALSE(turn().clean);
}

TEST_F(LaneCleans, NothingWhileItStops) {
  send_first({row(1)});
  pass(3s);
  lane().stop();
  succeeds(1);
  ASSERT_TRUE(look());
  EXPECT_FALSE(turn().clean);
}

}  // namespace
}  // namespace makegood::core
