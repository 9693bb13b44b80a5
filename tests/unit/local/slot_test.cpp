#include "transports/local/slot.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace makegood::local {
namespace {

using namespace std::chrono_literals;

constexpr MonotonicTime start_time{Duration(1h)};
constexpr MonotonicTime later = start_time + 1h;

/// A slot with deliveries 1 … n, each with a timeout of one second.
class LocalSlot : public testing::Test {
 protected:
  void load(Ticket count) {
    Chunk chunk;
    for (Ticket ticket = 1; ticket <= count; ++ticket) {
      chunk.deliveries.push_back({.message = nullptr, .destination = destination_, .outbox = {}, .ticket = ticket});
    }
    slot_.load(chunk);
  }
  bool start(MonotonicTime now = start_time) { return slot_.start(delivery_, now, look_at_); }

  DestinationPtr destination_ = std::make_shared<const Destination>(Destination{.name = "fn:a", .timeout = 1s});
  Slot slot_;
  Delivery delivery_;
  MonotonicTime look_at_;
};

TEST_F(LocalSlot, WalksThroughItsChunk) {
  load(2);
  ASSERT_TRUE(start());
  EXPECT_EQ(delivery_.ticket, 1U);
  EXPECT_TRUE(slot_.finish(Outcome::ok()));
  ASSERT_TRUE(start());
  EXPECT_EQ(delivery_.ticket, 2U);
  EXPECT_TRUE(slot_.finish(Outcome::fail("NO")));
  EXPECT_FALSE(start());
  const Answers answers = slot_.take_finished();
  ASSERT_EQ(answers.completions.size(), 2U);
  EXPECT_EQ(answers.completions[1].ticket, 2U);
  EXPECT_EQ(answers.completions[1].outcome.code, "NO");
  EXPECT_TRUE(slot_.take_finished().completions.empty());
}

TEST_F(LocalSlot, WantsALookAfterItsPatienceOnlyWhileItHoldsOthersUp) {
  load(2);
  ASSERT_TRUE(start());
  EXPECT_EQ(look_at_, start_time + patience);
  slot_.relieve(start_time + patience);
  EXPECT_EQ(slot_.look_at(later), start_time + 1s);
}

TEST_F(LocalSlot, WantsNoLookWhileNothingRuns) {
  load(1);
  EXPECT_EQ(slot_.look_at(later), later);
  ASSERT_TRUE(start());
  EXPECT_EQ(look_at_, start_time + 1s);
  slot_.finish(Outcome::ok());
  EXPECT_EQ(slot_.look_at(later), later);
}

TEST_F(LocalSlot, GivesAwayWhatASlowHandlerHoldsUp) {
  load(3);
  ASSERT_TRUE(start());
  slot_.finish(Outcome::ok());
  ASSERT_TRUE(start());
  EXPECT_TRUE(slot_.relieve(start_time + patience - 1us).finished.completions.empty());
  const Relief relief = slot_.relieve(start_time + patience);
  EXPECT_FALSE(relief.is_abandoned);
  ASSERT_EQ(relief.finished.completions.size(), 1U);
  EXPECT_EQ(relief.finished.completions[0].ticket, 1U);
  ASSERT_EQ(relief.not_started.deliveries.size(), 1U);
  EXPECT_EQ(relief.not_started.deliveries[0].ticket, 3U);
  EXPECT_TRUE(slot_.finish(Outcome::ok()));
  EXPECT_FALSE(start());
  EXPECT_EQ(slot_.take_finished().completions.at(0).ticket, 2U);
}

TEST_F(LocalSlot, AnswersForAHandlerPastItsTimeoutAndDropsItsOwnAnswer) {
  load(2);
  ASSERT_TRUE(start());
  const Relief relief = slot_.relieve(start_time + 1s);
  EXPECT_TRUE(relief.is_abandoned);
  ASSERT_EQ(relief.finished.completions.size(), 1U);
  EXPECT_EQ(relief.finished.completions[0].outcome.kind, Outcome::Kind::retry);
  EXPECT_EQ(relief.finished.completions[0].outcome.code, "TX.TIMEOUT");
  EXPECT_EQ(relief.not_started.deliveries.size(), 1U);
  EXPECT_FALSE(slot_.finish(Outcome::ok()));
  EXPECT_TRUE(slot_.take_finished().completions.empty());
  EXPECT_FALSE(slot_.relieve(start_time + 2s).is_abandoned);
}

TEST_F(LocalSlot, NeverAbandonsAHandlerThatReturnedJustBefore) {
  load(1);
  ASSERT_TRUE(start());
  EXPECT_TRUE(slot_.finish(Outcome::ok()));
  EXPECT_FALSE(slot_.relieve(start_time + 2s).is_abandoned);
  EXPECT_EQ(slot_.take_finished().completions.size(), 1U);
}

TEST_F(LocalSlot, StartsNothingOnceClosed) {
  load(3);
  ASSERT_TRUE(start());
  EXPECT_EQ(slot_.close().deliveries.size(), 2U);
  EXPECT_TRUE(slot_.finish(Outcome::ok()));
  EXPECT_FALSE(start());
  EXPECT_EQ(slot_.take_finished().completions.size(), 1U);
}

TEST_F(LocalSlot, StartsNothingThatIsLoadedAfterItWasClosed) {
  slot_.close();
  load(1);
  EXPECT_FALSE(start());
}

}  // namespace
}  // namespace makegood::local
