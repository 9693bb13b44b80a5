#include "makegood/spi/numbers.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <random>
#include <vector>

namespace makegood {
namespace {

using Numbers = std::vector<Sequence>;

Numbers listed(const NumberSet& set) {
  Numbers numbers;
  for (const NumberRange& range : set.ranges()) {
    for (Sequence number = range.low; number <= range.high; ++number) numbers.push_back(number);
  }
  return numbers;
}

TEST(NumberSet, KeepsNumbersThatFollowEachOtherAsOneRange) {
  const NumberSet set = {3, 4, 5, 9, 11, 12};
  const std::vector<NumberRange> expected = {{3, 5}, {9, 9}, {11, 12}};
  EXPECT_TRUE(std::ranges::equal(set.ranges(), expected));
  EXPECT_EQ(set.count(), 6U);
  EXPECT_EQ(set.front(), 3);
}

TEST(NumberSet, KnowsWhatIsInIt) {
  const NumberSet set = {3, 4, 5, 9};
  for (const Sequence number : {3, 4, 5, 9}) EXPECT_TRUE(set.contains(number)) << number;
  for (const Sequence number : {0, 2, 6, 8, 10}) EXPECT_FALSE(set.contains(number)) << number;
  EXPECT_FALSE(NumberSet().contains(1));
}

TEST(NumberSet, EndsWhereItIsCut) {
  EXPECT_EQ(up_to({1, 2, 3, 7, 8}, 7), NumberSet({1, 2, 3, 7}));
  EXPECT_EQ(up_to({5}, 4), NumberSet());
}

TEST(NumberSet, IsUnitedAndReducedAsSetsAre) {  // Against the standard library, on sets of all shapes.
  std::mt19937 random(7);                       // NOLINT: always the same numbers.
  const auto draw = [&random](unsigned one_in) {
    Numbers numbers;
    for (Sequence number = 1; number <= 60; ++number) {
      if (random() % one_in == 0) numbers.push_back(number);
    }
    return numbers;
  };
  for (unsigned round = 0; round < 2000; ++round) {
    const Numbers one = draw(1 + round % 4);
    const Numbers other = draw(1 + round % 5);
    Numbers all;
    std::ranges::set_union(one, other, std::back_inserter(all));
    Numbers rest;
    std::ranges::set_difference(one, other, std::back_inserter(rest));
    ASSERT_EQ(listed(united(NumberSet(one), NumberSet(other))), all);
    ASSERT_EQ(listed(without(NumberSet(one), NumberSet(other))), rest);
    ASSERT_EQ(without(NumberSet(one), other), NumberSet(rest));
  }
}

}  // namespace
}  // namespace makegood
