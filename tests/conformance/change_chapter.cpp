// Others are at work too: what they commit is noticed, and a log that went back is not mistaken for an empty one.
#include <thread>

#include "tests/conformance/store_suite.hpp"

namespace makegood::conformance {

TEST_P(StoreSuite, NoticesWhatAnotherConnectionEnqueued) {
  const auto other = connect();
  value_of(store().look(all_beyond(0)));
  const NewMessage message = a_message("m1");
  value_of(other->enqueue({&message, 1}));
  EXPECT_TRUE(store().has_changed());
}

TEST_P(StoreSuite, NoticesWhatAProducerCommitted) {
  auto producer = begin();
  value_of(producer->enqueue(a_message("m1")));
  value_of(store().look(all_beyond(0)));
  must(producer->commit());
  EXPECT_TRUE(store().has_changed());
}

TEST_P(StoreSuite, NoticesWhatAnOperatorAsked) {
  const auto operators = view();
  value_of(store().look(all_beyond(0)));
  value_of(operators->request({.sequence = 1, .destination = "fn:a", .operator_name = "olga"}));
  EXPECT_TRUE(store().has_changed());
}

TEST_P(StoreSuite, GoesOnSayingSoUntilTheNextLook) {
  const auto other = connect();
  value_of(store().look(all_beyond(0)));
  const NewMessage message = a_message("m1");
  value_of(other->enqueue({&message, 1}));
  EXPECT_TRUE(store().has_changed());
  EXPECT_TRUE(store().has_changed());
}

TEST_P(StoreSuite, IsQuietWhenNothingHappens) {  // It may say yes too often, but a lane that idles must find rest.
  enqueue(a_message("m1"));
  int quiet_count = 0;
  for (int round = 0; round < 10; ++round) {
    value_of(store().look(all_beyond(0)));
    quiet_count += store().has_changed() ? 0 : 1;
  }
  EXPECT_GT(quiet_count, 0);
}

namespace {

constexpr int messages_per_producer = 200;

void produce(OutboxStore& store, const std::string& name) {
  for (int number = 0; number < messages_per_producer; ++number) {
    const NewMessage message = a_message(name + std::to_string(number)).with_key(name);
    value_in_the_end([&] { return store.enqueue({&message, 1}); });
  }
}

/// Reads as an owner does, turn by turn, until it has seen so many rows.
std::vector<std::string> drain(LaneOwner& owner, std::size_t count) {
  std::vector<std::string> seen;
  Position position;
  const auto give_up_at = std::chrono::steady_clock::now() + 60s;
  while (seen.size() < count && std::chrono::steady_clock::now() < give_up_at) {
    LookFor wanted = late_and_beyond(position.reached, position.open);
    wanted.rows_max = 16;
    const Found found = owner.look(wanted);
    for (const std::string& name : names(found.rows)) seen.push_back(name);
    position = {.reached = found.looked_to, .open = found.open};
    value_in_the_end([&] { return owner.try_commit({.position = position}); });
  }
  return seen;
}

std::vector<std::string> only(const std::vector<std::string>& names, char producer) {
  std::vector<std::string> own;
  for (const std::string& name : names) {
    if (name.front() == producer) own.push_back(name);
  }
  return own;
}

std::vector<std::string> expected_of(char producer) {
  std::vector<std::string> names;
  names.reserve(messages_per_producer);
  for (int number = 0; number < messages_per_producer; ++number) names.push_back(producer + std::to_string(number));
  return names;
}

}  // namespace

TEST_P(StoreSuite, AnOwnerReadsEverythingOnceWhileTwoProducersWrite) {  // I1, I4
  const auto first = connect();
  const auto second = connect();
  LaneOwner owner = take();
  std::vector<std::string> seen;
  {
    const std::jthread one([&] { produce(*first, "x"); });
    const std::jthread two([&] { produce(*second, "y"); });
    seen = drain(owner, std::size_t{2} * messages_per_producer);
  }
  EXPECT_EQ(seen.size(), std::size_t{2} * messages_per_producer);
  EXPECT_EQ(only(seen, 'x'), expected_of('x'));
  EXPECT_EQ(only(seen, 'y'), expected_of('y'));
}

TEST_P(StoreSuite, TheSameEventFromTwoProducersAtOnceIsOneRow) {
  const auto first = connect();
  const auto second = connect();
  const auto repeat = [](OutboxStore& store, std::vector<Sequence>& numbers) {
    for (int number = 0; number < 100; ++number) {
      const NewMessage message = a_message("e" + std::to_string(number));
      numbers.push_back(value_in_the_end([&] { return store.enqueue({&message, 1}); }).at(0).sequence);
    }
  };
  std::vector<Sequence> ours;
  std::vector<Sequence> theirs;
  {
    const std::jthread one([&] { repeat(*first, ours); });
    const std::jthread two([&] { repeat(*second, theirs); });
  }
  EXPECT_EQ(ours, theirs);
  EXPECT_EQ(log().size(), 100U);
}

TEST_P(StoreSuite, OfTwoThatTakeAtOnceOneOwnsTheLane) {
  for (int round = 0; round < 20; ++round) {
    const auto first = connect();
    const auto second = connect();
    bool has_first = false;
    bool has_second = false;
    {
      const std::jthread one(
          [&] { has_first = value_in_the_end([&] { return first->take("a", lease, {}); }).has_value(); });
      const std::jthread two(
          [&] { has_second = value_in_the_end([&] { return second->take("b", lease, {}); }).has_value(); });
    }
    EXPECT_NE(has_first, has_second);
    expire_lease();
  }
}

}  // namespace makegood::conformance
