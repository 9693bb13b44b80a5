// From enqueue to endpoint: a dispatcher on SQLite with a healthy destination, one that always fails, one that hangs.
#include <condition_variable>
#include <mutex>
#include <set>

#include "makegood/registry.hpp"
#include "tests/integration/http_zoo/at_the_zoo.hpp"
#include "tests/support/temporary_folder.hpp"

namespace makegood {
namespace {

constexpr int keys = 5;
constexpr int messages_per_key = 12;
constexpr std::size_t to_the_healthy = keys * messages_per_key;
constexpr std::size_t to_each_bad_one = 4;

/// Counts how deliveries end.
class Ends final : public Observer {
 public:
  void settled(std::string_view /*outbox*/, std::span<const Settled> deliveries) override {
    const std::lock_guard lock(mutex_);
    for (const Settled& settled : deliveries) ++counts_[{settled.destination->name, settled.fate}];
    changed_.notify_all();
  }
  bool await(const std::string& destination, Fate fate, std::size_t count, std::chrono::milliseconds limit = 20s) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, limit, [&] { return counts_[{destination, fate}] >= count; });
  }
  std::size_t count(const std::string& destination, Fate fate) {
    const std::lock_guard lock(mutex_);
    return counts_[{destination, fate}];
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::pair<std::string, Fate>, std::size_t> counts_;
};

class DispatcherAtTheZoo : public AtTheZoo {
 protected:
  DispatcherAtTheZoo() {
    add("healthy", "ok", {.timeout = 5s});
    add("failing", "status-500", {.timeout = 5s, .retry = quick(3), .circuit = {.failures_max = 0}});
    add("hanging", "hang", {.timeout = 300ms, .retry = quick(2), .circuit = {.failures_max = 0}});
    transport();
  }

  static RetryPolicy quick(std::uint32_t attempts) { return {.attempts_max = attempts, .base = 20ms, .cap = 50ms}; }
  void add(const std::string& name, const std::string& animal, Destination others) {
    others.ordering = Ordering::skip;  // So that each bad one has all its messages tried at once.
    if (name == "healthy") others.ordering = Ordering::block;
    dispatcher_options_.destinations.push_back(value_of(http_destination(name, settings_for(animal), others)));
    dispatcher_options_.routes.push_back({name + ".*", "http:" + name});
  }
  void enqueue() {
    std::vector<NewMessage> messages;
    for (int number = 0; number < messages_per_key; ++number) {
      for (int key = 0; key < keys; ++key) messages.push_back(message("healthy", key, number));
    }
    for (std::size_t i = 0; i < to_each_bad_one; ++i) {
      messages.push_back(message("failing", static_cast<int>(i), 0));
      messages.push_back(message("hanging", static_cast<int>(i), 0));
    }
    value_of(value_of(open_store(url_, "makegood_outbox"))->enqueue(messages));
  }
  static NewMessage message(const std::string& destination, int key, int number) {
    return {.topic = destination + ".thing",
            .payload = "[" + std::to_string(key) + "," + std::to_string(number) + "]",
            .dispatch_key = "key-" + std::to_string(key)};
  }
  std::unique_ptr<Dispatcher> dispatcher() {
    return std::make_unique<Dispatcher>(value_of(open_store(url_, "makegood_outbox")),
                                        std::vector<Transport*>{&transport()}, dispatcher_options_, &ends_);
  }
  std::vector<DeadLetter> dead_letters() {
    return value_of(value_of(open_dead_letters(url_, "makegood_outbox"))->list("", 0, 100));
  }
  static void expect_in_order_and_once(const Visits& visits);

  testing_support::TemporaryFolder folder_;
  const std::string url_ = "sqlite:" + folder_.file("app.db");
  DispatcherOptions dispatcher_options_;
  Ends ends_;
};

void DispatcherAtTheZoo::expect_in_order_and_once(const Visits& visits) {
  ASSERT_EQ(visits.count, to_the_healthy);
  std::map<int, int> next;
  for (const auto& visit : visits.requests) {
    int key = -1;
    int number = -1;
    ASSERT_EQ(std::sscanf(visit.body.c_str(), "[%d,%d]", &key, &number), 2) << visit.body;
    EXPECT_EQ(number, next[key]++) << "key " << key;
  }
  EXPECT_EQ(next.size(), static_cast<std::size_t>(keys));
}

TEST_F(DispatcherAtTheZoo, ServesTheHealthyInOrderAndOnceBesideTheBad) {
  enqueue();
  const auto relay = dispatcher();
  relay->start();
  EXPECT_TRUE(ends_.await("http:healthy", Fate::delivered, to_the_healthy, 5s)) << "within seconds";
  EXPECT_TRUE(ends_.await("http:failing", Fate::died, to_each_bad_one));
  EXPECT_TRUE(ends_.await("http:hanging", Fate::died, to_each_bad_one));
  relay->stop(2s);

  expect_in_order_and_once(zoo().visits("ok"));
  EXPECT_EQ(zoo().visits("status-500").count, to_each_bad_one * 3);
  EXPECT_EQ(ends_.count("http:failing", Fate::retried), to_each_bad_one * 2);
  EXPECT_EQ(zoo().visits("hang").count, to_each_bad_one * 2);
}

TEST_F(DispatcherAtTheZoo, KeepsWhatCouldNotBeDeliveredWithItsReason) {
  enqueue();
  const auto relay = dispatcher();
  relay->start();
  EXPECT_TRUE(ends_.await("http:failing", Fate::died, to_each_bad_one));
  EXPECT_TRUE(ends_.await("http:hanging", Fate::died, to_each_bad_one));
  relay->stop(2s);

  const auto dead = dead_letters();
  EXPECT_EQ(dead.size(), 2 * to_each_bad_one);
  for (const DeadLetter& letter : dead) {
    const bool is_failing = letter.parked.destination == "http:failing";
    EXPECT_EQ(letter.parked.attempts, is_failing ? 3U : 2U);
    EXPECT_EQ(letter.parked.state, ParkedState::dead);
    EXPECT_NE(letter.story.find(is_failing ? "PROVIDER.UNAVAILABLE" : "TX.TIMEOUT"), std::string::npos) << letter.story;
  }
}

TEST_F(DispatcherAtTheZoo, RepeatsWithTheSameKeyWhatWasDoneButNotAnswered) {
  add("dropping", "effect-then-drop", {.timeout = 5s, .retry = quick(5)});
  value_of(value_of(open_store(url_, "makegood_outbox"))->enqueue(std::vector{message("dropping", 1, 1)}));
  const auto relay = dispatcher();
  relay->start();
  EXPECT_TRUE(ends_.await("http:dropping", Fate::delivered, 1));
  relay->stop(2s);
  const Visits visits = zoo().visits("effect-then-drop");
  ASSERT_EQ(visits.effects.size(), 1U) << "one key in all attempts, so the endpoint can tell";
  EXPECT_EQ(visits.effects.begin()->second, 2U);
}

}  // namespace
}  // namespace makegood
