// A dispatcher with a healthy destination, one that always fails, one that hangs.
#include "tests/integration/http_zoo/relay_at_the_zoo.hpp"

namespace makegood {
namespace {

constexpr int keys = 5;
constexpr int messages_per_key = 12;
constexpr std::size_t to_the_healthy = keys * messages_per_key;
constexpr std::size_t to_each_bad_one = 4;

class DispatcherAtTheZoo : public RelayAtTheZoo {
 protected:
  DispatcherAtTheZoo() {
    add("healthy", "ok");
    add("failing", "status-500", bad_one(5s, 3));
    add("hanging", "hang", bad_one(300ms, 2));
  }

  /// All its messages are tried at once.
  static Destination bad_one(Duration timeout, std::uint32_t attempts) {
    return {.timeout = timeout, .retry = quick(attempts), .ordering = Ordering::skip, .circuit = {.failures_max = 0}};
  }
  void enqueue_for_all() {
    std::vector<NewMessage> messages;
    for (int number = 0; number < messages_per_key; ++number) {
      for (int key = 0; key < keys; ++key) messages.push_back(message("healthy", key, number));
    }
    for (std::size_t i = 0; i < to_each_bad_one; ++i) {
      messages.push_back(message("failing", static_cast<int>(i), 0));
      messages.push_back(message("hanging", static_cast<int>(i), 0));
    }
    enqueue(messages);
  }
  static NewMessage message(const std::string& destination, int key, int number) {
    return {.topic = destination + ".thing",
            .payload = "[" + std::to_string(key) + "," + std::to_string(number) + "]",
            .dispatch_key = "key-" + std::to_string(key)};
  }
  static void expect_in_order_and_once(const Visits& visits);
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
  enqueue_for_all();
  start_relay();
  EXPECT_TRUE(ends_.await("http:healthy", Fate::delivered, to_the_healthy, 5s)) << "within seconds";
  EXPECT_TRUE(ends_.await("http:failing", Fate::died, to_each_bad_one));
  EXPECT_TRUE(ends_.await("http:hanging", Fate::died, to_each_bad_one));
  stop_relay();

  expect_in_order_and_once(zoo().visits("ok"));
  EXPECT_EQ(zoo().visits("status-500").count, to_each_bad_one * 3);
  EXPECT_EQ(ends_.count("http:failing", Fate::retried), to_each_bad_one * 2);
  EXPECT_EQ(zoo().visits("hang").count, to_each_bad_one * 2);
}

TEST_F(DispatcherAtTheZoo, KeepsWhatCouldNotBeDeliveredWithItsReason) {
  enqueue_for_all();
  start_relay();
  EXPECT_TRUE(ends_.await("http:failing", Fate::died, to_each_bad_one));
  EXPECT_TRUE(ends_.await("http:hanging", Fate::died, to_each_bad_one));
  stop_relay();

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
  add("dropping", "effect-then-drop", {.timeout = 5s, .retry = quick(5), .ordering = Ordering::skip});
  enqueue({message("dropping", 1, 1)});
  start_relay();
  EXPECT_TRUE(ends_.await("http:dropping", Fate::delivered, 1));
  stop_relay();
  const Visits visits = zoo().visits("effect-then-drop");
  ASSERT_EQ(visits.effects.size(), 1U) << "one key in all attempts, so the endpoint can tell";
  EXPECT_EQ(visits.effects.begin()->second, 2U);
}

}  // namespace
}  // namespace makegood
