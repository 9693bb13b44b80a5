// Many rows appear at once among the open numbers: a large import is committed. They are read a few at a time, others
// pass them meanwhile, and nothing passes an earlier one of its key.
#include <algorithm>
#include <utility>

#include "tests/conformance/store_suite.hpp"

namespace makegood::conformance {
namespace {

using Names = std::vector<std::string>;

/// Looks on from here as a lane does, a few rows at a time, until there is no more.
Names drain(OutboxStore& store, Position& position, std::size_t looks_max = 1000) {
  Names seen;
  for (std::size_t look = 0; look < looks_max; ++look) {
    LookFor wanted = late_and_beyond(position.reached, position.open);
    wanted.rows_max = 4;
    Found found = value_of(store.look(wanted));
    for (const std::string& name : names(found.rows)) seen.push_back(name);
    position = {.reached = found.looked_to, .open = std::move(found.open)};
    if (!found.is_more) break;
  }
  return seen;
}

std::ptrdiff_t place_of(const Names& names, std::string_view name) {
  return std::ranges::find(names, name) - names.begin();
}

std::ptrdiff_t last_late(const Names& names) {
  const auto is_late = [](const std::string& name) { return name.starts_with("late"); };
  return std::find_if(names.rbegin(), names.rend(), is_late).base() - names.begin() - 1;
}

std::string late(int number) { return "late" + std::to_string(number); }

constexpr int late_count = 30;

void import(Producer& producer, std::string_view key) {
  for (int number = 0; number < late_count; ++number) {
    value_of(producer.enqueue(a_message(late(number)).with_key(std::string(key))));
  }
}

}  // namespace

TEST_P(StoreSuite, OthersPassLateRowsThatThereIsNoRoomFor) {  // I10
  if (!numbers_may_stay_open()) GTEST_SKIP() << no_open_numbers;
  auto slow = begin();
  import(*slow, "");
  enqueue(a_message("early"));
  Position position;
  EXPECT_EQ(drain(store(), position), Names({"early"}));
  must(slow->commit());
  enqueue(a_message("next"));
  const Names seen = drain(store(), position);
  ASSERT_EQ(seen.size(), late_count + 1U);
  EXPECT_LT(place_of(seen, "next"), 12);
  EXPECT_LT(place_of(seen, late(3)), place_of(seen, late(20)));
  EXPECT_TRUE(position.open.empty());
}

TEST_P(StoreSuite, NobodyPassesALateRowOfItsKey) {  // I4
  if (!numbers_may_stay_open()) GTEST_SKIP() << no_open_numbers;
  auto slow = begin();
  import(*slow, "k");
  enqueue(a_message("early"));
  Position position;
  drain(store(), position);
  must(slow->commit());
  enqueue(a_message("next").with_key("k"));
  enqueue(a_message("another").with_key("other"));
  enqueue(a_message("of another").with_key("k").of_tenant("acme"));
  const Names seen = drain(store(), position);
  ASSERT_EQ(seen.size(), late_count + 3U);
  EXPECT_EQ(place_of(seen, "next"), last_late(seen) + 1);
  EXPECT_LT(place_of(seen, "another"), 12);
  EXPECT_LT(place_of(seen, "of another"), 12);
}

TEST_P(StoreSuite, ALateRowDoesNotPassOneOfItsKeyThatIsLateToo) {  // I4
  if (!numbers_may_stay_open()) GTEST_SKIP() << no_open_numbers;
  auto slow = begin();
  import(*slow, "k");
  auto second = begin();
  value_of(second->enqueue(a_message("second").with_key("k")));
  enqueue(a_message("early"));
  Position position;
  drain(store(), position);
  must(slow->commit());
  Names seen = drain(store(), position, 2);
  must(second->commit());
  std::ranges::copy(drain(store(), position), std::back_inserter(seen));
  ASSERT_EQ(seen.size(), late_count + 1U);
  EXPECT_EQ(seen.back(), "second");
}

TEST_P(StoreSuite, WhatAnotherTransactionHasDrawnAmongLateRowsStaysOpen) {  // I1
  if (!numbers_may_stay_open()) GTEST_SKIP() << no_open_numbers;
  auto one = begin();
  auto other = begin();
  for (int number = 0; number < late_count; ++number) {
    value_of(one->enqueue(a_message(late(number))));
    value_of(other->enqueue(a_message("other" + std::to_string(number)).with_key("k")));
  }
  enqueue(a_message("early"));
  Position position;
  drain(store(), position);
  must(one->commit());
  EXPECT_EQ(drain(store(), position).size(), std::size_t{late_count});
  EXPECT_EQ(position.open.count(), std::size_t{late_count});
  must(other->commit());
  enqueue(a_message("next").with_key("k"));
  const Names seen = drain(store(), position);
  ASSERT_EQ(seen.size(), late_count + 1U);
  EXPECT_EQ(seen.back(), "next");
  EXPECT_TRUE(position.open.empty());
}

TEST_P(StoreSuite, LateRowsOfTwoTransactionsAreReadOnceEach) {  // I1, I4: wherever the one is when the other appears.
  if (!numbers_may_stay_open()) GTEST_SKIP() << no_open_numbers;
  for (std::size_t looks = 1; looks < 8; ++looks) {
    auto one = begin();
    auto other = begin();
    const std::string round = std::to_string(looks) + "-";
    for (int number = 0; number < late_count; ++number) {
      value_of(one->enqueue(a_message("late" + round + std::to_string(number)).with_key("k")));
      value_of(other->enqueue(a_message("other" + round + std::to_string(number)).with_key("o")));
    }
    const Sequence before = enqueue(a_message("early" + round)) - 2 * late_count - 1;
    Position position{.reached = before};
    drain(store(), position);
    must(one->commit());
    Names seen = drain(store(), position, looks);
    must(other->commit());
    std::ranges::copy(drain(store(), position), std::back_inserter(seen));
    EXPECT_EQ(seen.size(), std::size_t{2 * late_count}) << looks;
    for (const std::string name : {"late", "other"}) {
      for (int number = 1; number < late_count; ++number) {
        EXPECT_LT(place_of(seen, name + round + std::to_string(number - 1)),
                  place_of(seen, name + round + std::to_string(number)));
      }
    }
  }
}

TEST_P(StoreSuite, AnotherOwnerReadsTheRestOfTheLateRows) {  // I1: whatever the first one's store remembered.
  if (!numbers_may_stay_open()) GTEST_SKIP() << no_open_numbers;
  auto slow = begin();
  import(*slow, "k");
  enqueue(a_message("early"));
  Position position;
  drain(store(), position);
  must(slow->commit());
  enqueue(a_message("next").with_key("k"));
  Names seen = drain(store(), position, 3);
  ASSERT_LT(seen.size(), std::size_t{late_count});
  const auto second = connect();
  std::ranges::copy(drain(*second, position), std::back_inserter(seen));
  ASSERT_EQ(seen.size(), late_count + 1U);
  EXPECT_EQ(seen.back(), "next");
}

TEST_P(StoreSuite, ASideLaneStopsBehindALateRowOfItsKey) {  // I4
  if (!numbers_may_stay_open()) GTEST_SKIP() << no_open_numbers;
  auto slow = begin();
  import(*slow, "k");
  enqueue(a_message("early"));
  Position position;
  drain(store(), position);
  must(slow->commit());
  const auto n = enqueue_all({a_message("m1").with_key("other"), a_message("m2").with_key("k"), a_message("m3")});
  for (const std::size_t rows_max : {std::size_t{0}, std::size_t{4}}) {  // Whether or not the main lane reads, too.
    LookFor wanted = late_and_beyond(n[2], position.open);
    wanted.rows_max = rows_max;
    wanted.sides = {{.reached = n[0] - 1,
                     .until = n[2],
                     .rows_max = 10,
                     .bytes_max = std::size_t{1} << 20,
                     .filter = {.routes = {{"*", "fn:a"}}, .scope = Scope{.destination = "fn:a"}}}};
    const Found found = value_of(store().look(wanted));
    EXPECT_EQ(names(found.sides.at(0).rows), Names({"m1"})) << rows_max;
    EXPECT_EQ(found.sides.at(0).looked_to, n[0]) << rows_max;
  }
}

TEST_P(StoreSuite, ReadsOnOnlyWhenItIsAskedTo) {
  enqueue_all({a_message("m1"), a_message("m2")});
  LookFor wanted = all_beyond(0);
  wanted.is_reading_on = false;
  const Found found = value_of(store().look(wanted));
  EXPECT_TRUE(found.rows.empty());
  EXPECT_EQ(found.looked_to, 0);
  EXPECT_FALSE(found.is_more) << "or the lane would ask again at once";
}

TEST_P(StoreSuite, ReadsLateRowsWithoutReadingOn) {
  if (!numbers_may_stay_open()) GTEST_SKIP() << no_open_numbers;
  auto slow = begin();
  const Sequence drawn = value_of(slow->enqueue(a_message("late"))).sequence;
  const Sequence reached = enqueue(a_message("early"));
  value_of(store().look(late_and_beyond(reached, {drawn})));
  must(slow->commit());
  enqueue(a_message("next"));
  LookFor wanted = late_and_beyond(reached, {drawn});
  wanted.is_reading_on = false;
  const Found found = value_of(store().look(wanted));
  EXPECT_EQ(names(found.rows), Names({"late"}));
  EXPECT_EQ(found.looked_to, reached);
}

}  // namespace makegood::conformance
