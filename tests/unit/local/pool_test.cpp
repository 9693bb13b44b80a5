// The pool as its users see it: threads, timeouts, abandoned handlers, stop.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "makegood/handlers.hpp"
#include "tests/support/committed_message.hpp"
#include "tests/support/completion_inbox.hpp"
#include "tests/support/event.hpp"

namespace makegood {
namespace {

using testing_support::CompletionInbox;
using testing_support::Event;
using testing_support::quiet;
using namespace std::chrono_literals;

/// `plain` answers at once; `hanging` waits until it is released. Handlers own what they touch: they may outlive the
/// test.
class LocalPool : public testing::Test {
 protected:
  struct Signals {
    Event started;
    Event release;
    Event returned;
  };

  void open(HandlersOptions options, Duration timeout = 30s) {
    handlers_ = std::make_unique<Handlers>(options);
    handlers_->on("*", "plain", [](const Delivery&) { return Outcome::ok(); });
    const auto hang = [signals = signals_](const Delivery&) {
      signals->started.happen();
      signals->release.await_forever();
      signals->returned.happen();
      return Outcome::ok();
    };
    handlers_->on("*", "hanging", hang, {.name = {}, .timeout = timeout});
    hanging_ = std::make_shared<const Destination>(handlers_->destinations().at(0));
    plain_ = std::make_shared<const Destination>(handlers_->destinations().at(1));
  }
  void TearDown() override {
    signals_->release.happen();
    handlers_.reset();
  }

  Delivery delivery(const DestinationPtr& to) {
    return {.message = message_, .destination = to, .outbox = "makegood_outbox", .ticket = ++tickets_};
  }
  void send(const std::vector<DestinationPtr>& to) {
    std::vector<Delivery> deliveries;
    deliveries.reserve(to.size());
    for (const auto& each : to) deliveries.push_back(delivery(each));
    handlers_->transport().send(std::move(deliveries), inbox_);
  }
  /// By ticket: completions of different threads may arrive in any order.
  std::vector<std::string> codes() {
    std::map<Ticket, std::string> by_ticket;
    for (const Completion& completion : inbox_.all()) by_ticket[completion.ticket] = completion.outcome.code;
    std::vector<std::string> codes;
    codes.reserve(by_ticket.size());
    for (auto& [ticket, code] : by_ticket) codes.push_back(std::move(code));
    return codes;
  }

  std::shared_ptr<Signals> signals_ = std::make_shared<Signals>();
  MessagePtr message_ = testing_support::committed_message({});
  CompletionInbox inbox_;
  std::unique_ptr<Handlers> handlers_;
  DestinationPtr plain_;
  DestinationPtr hanging_;
  Ticket tickets_ = 0;
};

TEST_F(LocalPool, CarriesEverythingOnASingleThread) {
  open({.threads = 1});
  send(std::vector<DestinationPtr>(3000, plain_));
  ASSERT_TRUE(inbox_.await(3000));
  EXPECT_EQ(inbox_.times().size(), 3000U);
}

TEST_F(LocalPool, PostsCompletionsInBatches) {
  open({.threads = 1});
  send(std::vector<DestinationPtr>(3200, plain_));
  ASSERT_TRUE(inbox_.await(3200));
  EXPECT_LT(inbox_.post_count(), 1600U);
}

TEST_F(LocalPool, RunsAsManySlowHandlersAtOnceAsItHasThreads) {
  open({.threads = 4});
  send(std::vector<DestinationPtr>(4, hanging_));
  EXPECT_TRUE(signals_->started.await(4));
}

TEST_F(LocalPool, PostsWhatIsFinishedAlthoughTheNextHandlerIsSlow) {
  open({.threads = 1});
  std::vector<DestinationPtr> all(20, plain_);
  all.push_back(hanging_);
  send(all);
  EXPECT_TRUE(inbox_.await(20)) << "finished completions waited for a slow handler";
  EXPECT_EQ(signals_->returned.count(), 0U);
}

TEST_F(LocalPool, HandsWhatASlowHandlerHoldsUpToTheOtherThreads) {
  open({.threads = 2});
  std::vector<DestinationPtr> all(64, plain_);
  all.front() = hanging_;
  send(all);
  EXPECT_TRUE(inbox_.await(63)) << "deliveries waited behind a slow handler of their chunk";
  EXPECT_EQ(signals_->returned.count(), 0U);
}

TEST_F(LocalPool, GoesOnWithItsOnlyThreadLost) {
  open({.threads = 1}, 30ms);
  std::vector<DestinationPtr> all(10, plain_);
  all.front() = hanging_;
  send(all);
  ASSERT_TRUE(inbox_.await(10));
  EXPECT_EQ(codes().front(), "TX.TIMEOUT");
  EXPECT_EQ(inbox_.times().size(), 10U);
}

TEST_F(LocalPool, CountsTheTimeoutFromTheStartOfTheHandler) {
  open({.threads = 1}, 60ms);
  send({hanging_, hanging_, hanging_});
  const auto before = std::chrono::steady_clock::now();
  ASSERT_TRUE(inbox_.await(3));
  EXPECT_GE(std::chrono::steady_clock::now() - before, 150ms);
  EXPECT_EQ(codes(), (std::vector<std::string>(3, "TX.TIMEOUT")));
}

TEST_F(LocalPool, RefusesWhenTooManyHandlersHaveNotReturned) {
  open({.threads = 1, .abandoned_max = 2}, 20ms);
  send({hanging_, hanging_, plain_, hanging_});
  ASSERT_TRUE(inbox_.await(4));
  EXPECT_EQ(codes(),
            (std::vector<std::string>{"TX.TIMEOUT", "TX.TIMEOUT", "PROVIDER.UNAVAILABLE", "PROVIDER.UNAVAILABLE"}));
  EXPECT_EQ(signals_->started.count(), 2U);
}

TEST_F(LocalPool, StartsHandlersAgainWhenAnAbandonedOneReturns) {
  open({.threads = 1, .abandoned_max = 1}, 20ms);
  send({hanging_});
  ASSERT_TRUE(inbox_.await(1));
  send({plain_});
  ASSERT_TRUE(inbox_.await(2));
  EXPECT_EQ(codes().back(), "PROVIDER.UNAVAILABLE");
  signals_->release.happen();
  const auto limit = std::chrono::steady_clock::now() + testing_support::patience_max;
  for (std::size_t count = 3; !codes().back().empty(); ++count) {
    ASSERT_LT(std::chrono::steady_clock::now(), limit) << "the place was never freed";
    send({plain_});
    ASSERT_TRUE(inbox_.await(count));
  }
}

TEST_F(LocalPool, PostsWhatWasFinishedWhenItIsDrainedBehindASlowHandler) {
  open({.threads = 1});
  send({plain_, plain_, hanging_, plain_});
  ASSERT_TRUE(signals_->started.await());
  handlers_->transport().drain(inbox_, 0ms);
  EXPECT_EQ(inbox_.size(), 2U);
  signals_->release.happen();
  ASSERT_TRUE(signals_->returned.await());
  EXPECT_FALSE(inbox_.await(3, quiet));
}

TEST_F(LocalPool, AnswersForATimeoutWithinTheGraceOfADrain) {
  open({.threads = 2}, 30ms);
  send({hanging_});
  ASSERT_TRUE(signals_->started.await());
  handlers_->transport().drain(inbox_, 20s);
  EXPECT_EQ(codes(), (std::vector<std::string>{"TX.TIMEOUT"}));
}

TEST_F(LocalPool, LetsTheHandlersEndWhileOneIsStillLost) {
  open({.threads = 2}, 20ms);
  send({hanging_});
  ASSERT_TRUE(inbox_.await(1));
  handlers_.reset();
  EXPECT_EQ(signals_->returned.count(), 0U);
  signals_->release.happen();
  EXPECT_TRUE(signals_->returned.await());
}

TEST_F(LocalPool, MayBeDrainedFromOneOfItsOwnHandlers) {
  Handlers handlers({.threads = 2});
  handlers.on("*", "last", [this, &handlers, signals = signals_](const Delivery&) {
    handlers.transport().drain(inbox_, 10ms);
    signals->returned.happen();
    return Outcome::ok();
  });
  const auto last = std::make_shared<const Destination>(handlers.destinations().at(0));
  std::vector<Delivery> deliveries;
  deliveries.push_back(delivery(last));
  handlers.transport().send(std::move(deliveries), inbox_);
  EXPECT_TRUE(signals_->returned.await());
  EXPECT_FALSE(inbox_.await(1, quiet));
}

TEST_F(LocalPool, MovesWithItsHandlers) {
  open({.threads = 2});
  send({plain_});
  ASSERT_TRUE(inbox_.await(1));
  Handlers moved(std::move(*handlers_));
  *handlers_ = std::move(moved);
  send({plain_});
  EXPECT_TRUE(inbox_.await(2));
}

/// Completions race with a drain at a random moment: whatever was posted was posted once, and nothing comes afterwards.
TEST_F(LocalPool, KeepsItsPromisesWhenDrainedUnderLoad) {
  for (int round = 0; round < 20; ++round) {
    open({.threads = 3});
    CompletionInbox inbox;
    std::atomic<bool> is_over = false;
    std::jthread sender([&] {
      while (!is_over) {
        std::vector<Delivery> deliveries;
        deliveries.reserve(50);
        for (int i = 0; i < 50; ++i) deliveries.push_back(delivery(plain_));
        handlers_->transport().send(std::move(deliveries), inbox);
      }
    });
    ASSERT_TRUE(inbox.await(static_cast<std::size_t>(round) * 40 + 1));
    is_over = true;
    sender.join();
    handlers_->transport().drain(inbox, round % 2 == 0 ? 0ms : 5s);
    const std::size_t completed = inbox.size();
    EXPECT_EQ(inbox.size(), completed);
    EXPECT_FALSE(inbox.await(completed + 1, round == 0 ? quiet : 1ms));
    EXPECT_EQ(inbox.times().size(), completed);
    handlers_.reset();
  }
}

}  // namespace
}  // namespace makegood
