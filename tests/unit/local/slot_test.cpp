#include "transports/local/slot.hpp"

#include <gtest/gtest.h>

#include <memory>

#include "tests/support/completion_inbox.hpp"

namespace makegood::local {
namespace {

using namespace std::chrono_literals;

constexpr MonotonicTime start_time{Duration(1h)};
constexpr MonotonicTime later = start_time + 1h;

/// A slot with deliveries 1 … n, each with a timeout of one second.
class LocalSlot : public testing::Test {
 protected:
  void load(Ticket count) {
    Chunk chunk{.done = &inbox_};
    for (Ticket ticket = 1; ticket <= count; ++ticket) {
      chunk.deliveries.push_back({.message = nullptr, .destination = destination_, .outbox = {}, .ticket = ticket});
    }
    slot_.load(chunk);
  }
  bool start(MonotonicTime now = start_time) { return slot_.start(delivery_, now, look_at_); }

  DestinationPtr destination_ = std::make_shared<const Destination>(Destination{.name = "fn:a", .timeout = 1s});
  testing_support::CompletionInbox inbox_;
  testing_support::CompletionInbox other_;
  Slot slot_;
  Delivery delivery_;
  MonotonicTime look_at_;
};

TEST_F(LocalSlot, WalksThroughItsChunk) {
  load(2);
  ASSERT_TRUE(start());
  EXPECT_EQ(delivery_.ticket, 1U);
  EXPECT_TRUE(slot_.finish(Reply::said(Outcome::ok())));
  ASSERT_TRUE(start());
  EXPECT_EQ(delivery_.ticket, 2U);
  EXPECT_TRUE(slot_.finish(Reply::said(Outcome::fail("NO"))));
  EXPECT_FALSE(start());
  const auto finished = slot_.take_finished();
  ASSERT_EQ(finished.size(), 2U);
  EXPECT_EQ(finished[1].ticket, 2U);
  EXPECT_EQ(finished[1].reply.code, "NO");
  EXPECT_TRUE(slot_.take_finished().empty());
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
  slot_.finish(Reply::said(Outcome::ok()));
  EXPECT_EQ(slot_.look_at(later), later);
}

TEST_F(LocalSlot, GivesAwayWhatASlowHandlerHoldsUp) {
  load(3);
  ASSERT_TRUE(start());
  slot_.finish(Reply::said(Outcome::ok()));
  ASSERT_TRUE(start());
  EXPECT_TRUE(slot_.relieve(start_time + patience - 1us).finished.reports.empty());
  const Relief relief = slot_.relieve(start_time + patience);
  EXPECT_FALSE(relief.is_abandoned);
  ASSERT_EQ(relief.finished.reports.size(), 1U);
  EXPECT_EQ(relief.finished.reports[0].ticket, 1U);
  ASSERT_EQ(relief.not_started.deliveries.size(), 1U);
  EXPECT_EQ(relief.not_started.deliveries[0].ticket, 3U);
  EXPECT_TRUE(slot_.finish(Reply::said(Outcome::ok())));
  EXPECT_FALSE(start());
  EXPECT_EQ(slot_.take_finished().at(0).ticket, 2U);
}

TEST_F(LocalSlot, AnswersForAHandlerPastItsTimeoutAndDropsItsOwnAnswer) {
  load(2);
  ASSERT_TRUE(start());
  const Relief relief = slot_.relieve(start_time + 1s);
  EXPECT_TRUE(relief.is_abandoned);
  ASSERT_EQ(relief.finished.reports.size(), 1U);
  EXPECT_EQ(relief.finished.reports[0].reply.what, Reply::What::silent);
  EXPECT_EQ(relief.finished.reports[0].reply.code, "TX.TIMEOUT");
  EXPECT_EQ(relief.not_started.deliveries.size(), 1U);
  EXPECT_FALSE(slot_.finish(Reply::said(Outcome::ok())));
  EXPECT_TRUE(slot_.take_finished().empty());
  EXPECT_FALSE(slot_.relieve(start_time + 2s).is_abandoned);
}

TEST_F(LocalSlot, NeverAbandonsAHandlerThatReturnedJustBefore) {
  load(1);
  ASSERT_TRUE(start());
  EXPECT_TRUE(slot_.finish(Reply::said(Outcome::ok())));
  EXPECT_FALSE(slot_.relieve(start_time + 2s).is_abandoned);
  EXPECT_EQ(slot_.take_finished().size(), 1U);
}

TEST_F(LocalSlot, ForgetsWhatHasNotStartedOfOneReceiver) {
  load(3);
  ASSERT_TRUE(start());
  EXPECT_TRUE(slot_.forget(other_).deliveries.empty());
  EXPECT_EQ(slot_.forget(inbox_).deliveries.size(), 2U);
  EXPECT_TRUE(slot_.has_any(inbox_)) << "one is running";
  EXPECT_TRUE(slot_.finish(Reply::said(Outcome::ok())));
  EXPECT_TRUE(slot_.has_any(inbox_)) << "and one is to be posted";
  EXPECT_EQ(slot_.take_finished().size(), 1U);
  EXPECT_FALSE(slot_.has_any(inbox_));
}

TEST_F(LocalSlot, IsGivenUpForAReceiverOnlyWhileItRuns) {
  load(2);
  EXPECT_FALSE(slot_.abandon_running(inbox_)) << "nothing has started";
  ASSERT_TRUE(start());
  slot_.finish(Reply::said(Outcome::ok()));
  ASSERT_TRUE(start());
  EXPECT_FALSE(slot_.abandon_running(other_));
  const auto finished = slot_.abandon_running(inbox_);
  ASSERT_TRUE(finished);
  EXPECT_EQ(finished->reports.size(), 1U);
  EXPECT_FALSE(slot_.finish(Reply::said(Outcome::ok()))) << "its own answer is dropped";
}

TEST_F(LocalSlot, StartsNothingOnceClosed) {
  load(3);
  ASSERT_TRUE(start());
  EXPECT_EQ(slot_.close().deliveries.size(), 2U);
  EXPECT_TRUE(slot_.finish(Reply::said(Outcome::ok())));
  EXPECT_FALSE(start());
  EXPECT_EQ(slot_.take_finished().size(), 1U);
}

TEST_F(LocalSlot, StartsNothingThatIsLoadedAfterItWasClosed) {
  slot_.close();
  load(1);
  EXPECT_FALSE(start());
}

}  // namespace
}  // namespace makegood::local
