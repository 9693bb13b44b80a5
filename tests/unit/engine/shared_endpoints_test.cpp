// Two relays of one process with a destination in common: two threads, one endpoint.
#include "makegood/dispatcher.hpp"

#include <gtest/gtest.h>

#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <string>

#include "stores/memory/memory.hpp"
#include "tests/support/builders.hpp"

namespace makegood {
namespace {

using namespace std::chrono_literals;
using testing_support::a_message;

constexpr Duration answer_within = 20s;

/// What was sent waits until the test answers it.
class HeldTransport final : public Transport {
 public:
  TransportFeatures features() const override { return {.scheme = "held"}; }
  void send(std::vector<Delivery> deliveries, Completions& done) override {
    const std::scoped_lock lock(mutex_);
    for (Delivery& delivery : deliveries) held_.push_back({std::string(delivery.outbox), delivery.ticket, &done});
    changed_.notify_all();
  }
  void drain(Completions& done, Duration) override {
    const std::scoped_lock lock(mutex_);
    std::erase_if(held_, [&](const Held& each) { return each.done == &done; });
  }

  bool wait_until_held() {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, answer_within, [&] { return !held_.empty(); });
  }
  std::size_t held_count() {
    const std::scoped_lock lock(mutex_);
    return held_.size();
  }
  /// Whose message it was; empty if none came.
  std::string answer_one(Reply reply) {
    std::unique_lock lock(mutex_);
    if (!changed_.wait_for(lock, answer_within, [&] { return !held_.empty(); })) return {};
    const Held first = held_.front();
    held_.pop_front();
    lock.unlock();
    first.done->post({{first.ticket, std::move(reply)}});
    return first.outbox;
  }

 private:
  struct Held {
    std::string outbox;
    Ticket ticket;
    Completions* done;
  };
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Held> held_;
};

class SharedEndpoints : public testing::Test {
 protected:
  /// With a backlog, and nothing that wakes it but what happens.
  Dispatcher relay(const std::string& outbox, std::size_t backlog, Endpoints* endpoints) {
    const auto database = memory::new_database();
    const auto transaction = memory::begin(database, system_clock());
    for (std::size_t number = 0; number < backlog; ++number) {
      EXPECT_TRUE(transaction->enqueue(a_message("m" + std::to_string(number))));
    }
    EXPECT_TRUE(transaction->commit());
    const Destination shop{.name = "held:shop", .in_flight_max = 1};
    return {memory::open_store(database, system_clock()),
            {&transport_},
            {.outbox = outbox,
             .destinations = {shop},
             .routes = {{"orders.*", shop.name}},
             .lease = 300s,
             .safety_interval = 300s},
            nullptr,
            system_clock(),
            endpoints};
  }

  HeldTransport transport_;
  Endpoints endpoints_;
};

TEST_F(SharedEndpoints, TwoRelaysTakeTurnsForTheOnlyPlace) {
  constexpr std::size_t backlog = 20;
  Dispatcher one = relay("one", backlog, &endpoints_);
  Dispatcher other = relay("other", backlog, &endpoints_);
  one.start();
  other.start();
  std::map<std::string, std::size_t> answered;
  for (std::size_t count = 0; count < 2 * backlog; ++count) {
    const std::string outbox = transport_.answer_one(Reply::said(Outcome::ok()));
    ASSERT_FALSE(outbox.empty()) << "after " << count << " nobody sends any more";
    ASSERT_LE(transport_.held_count(), 1U) << "one place for both";
    ++answered[outbox];
  }
  EXPECT_EQ(answered["one"], backlog);
  EXPECT_EQ(answered["other"], backlog);
  one.stop({});
  other.stop({});
}

TEST_F(SharedEndpoints, RelaysWithoutThemHaveAPlaceEach) {
  Dispatcher one = relay("one", 1, nullptr);
  Dispatcher other = relay("other", 1, nullptr);
  one.start();
  other.start();
  std::set<std::string> answered;
  for (int count = 0; count < 2; ++count) answered.insert(transport_.answer_one(Reply::said(Outcome::ok())));
  EXPECT_EQ(answered, (std::set<std::string>{"one", "other"}));
  one.stop({});
  other.stop({});
}

TEST_F(SharedEndpoints, ARelayThatStopsGivesItsPlaceBack) {
  Dispatcher one = relay("one", 1, &endpoints_);
  one.start();
  ASSERT_TRUE(transport_.wait_until_held());
  Dispatcher other = relay("other", 1, &endpoints_);
  other.start();
  one.stop({});
  EXPECT_EQ(transport_.answer_one(Reply::said(Outcome::ok())), "other");
  other.stop({});
}

}  // namespace
}  // namespace makegood
