#include "stores/postgres/open_numbers.hpp"

#include <gtest/gtest.h>

namespace makegood::postgres {

namespace {

using namespace std::chrono_literals;

NumberSet of(std::initializer_list<NumberRange> ranges) {
  NumberSet numbers;
  for (const NumberRange& range : ranges) numbers.append(range);
  return numbers;
}

constexpr OpenNumbers::Time start{1h};
constexpr Sequence counter = 100;

TEST(OpenNumbers, AreNotAskedAboutAtOnce) {
  OpenNumbers numbers;
  EXPECT_EQ(numbers.still_open(of({{5, 6}}), counter, start), of({{5, 6}}));
  EXPECT_FALSE(numbers.wants_holders(start + 199ms));
  EXPECT_TRUE(numbers.wants_holders(start + 200ms));
}

TEST(OpenNumbers, CloseAtOnceWhenNobodyHoldsTheLock) {
  OpenNumbers numbers;
  numbers.still_open(of({{5, 6}}), counter, start);
  numbers.saw_holders({}, start + 1s);
  EXPECT_EQ(numbers.still_open(of({{5, 6}}), counter, start + 1s), NumberSet());
}

TEST(OpenNumbers, StayOpenWhileOneOfTheirWitnessesIsThere) {
  OpenNumbers numbers;
  numbers.still_open(of({{5, 5}}), counter, start);
  numbers.saw_holders({{"3/7", {""}}, {"4/1", {""}}}, start + 1s);
  EXPECT_EQ(numbers.still_open(of({{5, 5}}), counter, start + 1s), of({{5, 5}}));
  numbers.saw_holders({{"4/1", {""}}, {"5/9", {""}}}, start + 2s);
  EXPECT_EQ(numbers.still_open(of({{5, 5}}), counter, start + 2s), of({{5, 5}}));
  numbers.saw_holders({{"5/9", {""}}, {"6/2", {""}}}, start + 3s);  // They came later, and cannot have drawn it.
  EXPECT_EQ(numbers.still_open(of({{5, 5}}), counter, start + 3s), NumberSet());
}

TEST(OpenNumbers, StayOpenWhileSomebodyHasNoName) {  // It may be a witness, prepared before the server was restarted.
  OpenNumbers numbers;
  numbers.still_open(of({{5, 5}}), counter, start);
  numbers.saw_holders({{"3/7", {""}}}, start + 1s);
  numbers.still_open(of({{5, 5}}), counter, start + 1s);
  numbers.saw_holders({{"-1/700", {"prepared"}}}, start + 2s);
  EXPECT_EQ(numbers.still_open(of({{5, 5}}), counter, start + 2s), of({{5, 5}}));
  numbers.saw_holders({}, start + 3s);
  EXPECT_EQ(numbers.still_open(of({{5, 5}}), counter, start + 3s), NumberSet());
}

TEST(OpenNumbers, WhoStandsStillDrawsNoMore) {  // One that is forgotten must not keep later numbers open.
  OpenNumbers numbers;
  numbers.still_open(of({{5, 5}}), 5, start);
  numbers.saw_holders({{"3/7", {"10:15"}}}, start + 1s);
  numbers.still_open(of({{5, 5}}), 6, start + 1s);  // The counter is at 6 while it stands still.
  numbers.still_open(of({{5, 6}, {8, 8}}), 8, start + 2s);
  numbers.saw_holders({{"3/7", {"10:15"}}}, start + 3s);
  EXPECT_EQ(numbers.still_open(of({{5, 6}, {8, 8}}), 8, start + 3s), of({{5, 6}}));
}

TEST(OpenNumbers, WhoHasMovedInBetweenMayHaveDrawnThem) {
  OpenNumbers numbers;
  numbers.still_open(of({{5, 5}}), 5, start);
  numbers.saw_holders({{"3/7", {"10:15"}}}, start + 1s);
  numbers.still_open(of({{5, 5}}), 6, start + 1s);
  numbers.still_open(of({{5, 5}, {7, 7}}), 8, start + 2s);
  numbers.saw_holders({{"3/7", {"10:16"}}}, start + 3s);
  EXPECT_EQ(numbers.still_open(of({{5, 5}, {7, 7}}), 8, start + 3s), of({{5, 5}, {7, 7}}));
}

TEST(OpenNumbers, KeepTheTimeAndTheWitnessesOfEachPart) {
  OpenNumbers numbers;
  numbers.still_open(of({{1, 1000}}), counter, start);
  // 500 has appeared, and 1001 to 1010 are new.
  numbers.still_open(of({{1, 499}, {501, 1010}}), counter, start + 150ms);
  numbers.saw_holders({}, start + 200ms);
  EXPECT_EQ(numbers.still_open(of({{1, 499}, {501, 1010}}), counter, start + 200ms), of({{1001, 1010}}));
}

TEST(OpenNumbers, SleepUntilOneOfTheirWitnessesEnds) {  // I10: or every look would pass all rows of a large import.
  OpenNumbers numbers;
  numbers.still_open(of({{5, 5}}), counter, start);
  numbers.saw_holders({{"3/7", {"", 700}}, {"4/1", {"", 701}}}, start + 1s);
  EXPECT_EQ(numbers.asleep(), NumberSet()) << "they have not been looked for since";
  EXPECT_EQ(numbers.still_open(of({{5, 5}}), counter, start + 1s), of({{5, 5}}));
  EXPECT_EQ(numbers.asleep(), of({{5, 5}}));
  EXPECT_EQ(numbers.waited_for(), std::vector<std::int64_t>({700, 701}));
  EXPECT_FALSE(numbers.wants_holders(start + 2s));
  EXPECT_EQ(numbers.wake({702}), NumberSet());
  EXPECT_EQ(numbers.wake({701}), of({{5, 5}}));
  EXPECT_EQ(numbers.asleep(), NumberSet());
  EXPECT_TRUE(numbers.wants_holders(start + 2s));
}

TEST(OpenNumbers, StayAwakeWhenNothingTellsTheEndOfAWitness) {
  OpenNumbers numbers;
  numbers.still_open(of({{5, 5}}), counter, start);
  numbers.saw_holders({{"3/7", {"", 700}}, {"4/1", {"", 0}}}, start + 1s);
  numbers.still_open(of({{5, 5}}), counter, start + 1s);
  EXPECT_EQ(numbers.asleep(), NumberSet());
}

TEST(OpenNumbers, AreNotClosedInTheirSleep) {  // I1: nobody has looked for them since their witnesses ended.
  OpenNumbers numbers;
  numbers.still_open(of({{5, 5}}), counter, start);
  numbers.saw_holders({{"3/7", {"", 700}}}, start + 1s);
  numbers.still_open(of({{5, 5}}), counter, start + 1s);
  numbers.still_open(of({{5, 5}, {9, 9}}), counter, start + 2s);
  numbers.saw_holders({}, start + 3s);
  EXPECT_EQ(numbers.still_open(of({{5, 5}, {9, 9}}), counter, start + 3s), of({{5, 5}}));
  EXPECT_EQ(numbers.wake({700}), of({{5, 5}}));
  EXPECT_EQ(numbers.still_open(of({{5, 5}}), counter, start + 4s), NumberSet());
}

TEST(OpenNumbers, AreNotClosedByALookThatLeftSomeOut) {  // I1
  OpenNumbers numbers;
  numbers.still_open(of({{5, 5}}), counter, start);
  numbers.saw_holders({}, start + 1s);
  numbers.saw_only_some();
  EXPECT_EQ(numbers.still_open(of({{5, 5}}), counter, start + 1s), of({{5, 5}}));
  numbers.saw_holders({}, start + 2s);
  EXPECT_EQ(numbers.still_open(of({{5, 5}}), counter, start + 2s), NumberSet());
}

TEST(OpenNumbers, ThatWereNotLookedAtBeginAnew) {
  OpenNumbers numbers;
  numbers.still_open(of({{5, 5}}), counter, start);
  numbers.still_open({}, counter, start + 100ms);
  numbers.still_open(of({{5, 5}}), counter, start + 200ms);
  EXPECT_FALSE(numbers.wants_holders(start + 300ms));
}

}  // namespace
}  // namespace makegood::postgres
