#include "stores/postgres/open_numbers.hpp"

#include <gtest/gtest.h>

namespace makegood::postgres {

static void PrintTo(const NumberRange& range, std::ostream* out) { *out << range.low << ".." << range.high; }

namespace {

using namespace std::chrono_literals;
using Ranges = std::vector<NumberRange>;

constexpr OpenNumbers::Time start{1h};
constexpr Sequence counter = 100;

TEST(NumberRanges, AreMadeOfNumbersThatFollowEachOther) {
  EXPECT_EQ(ranges_of(std::vector<Sequence>{}), Ranges());
  EXPECT_EQ(ranges_of(std::vector<Sequence>{3, 4, 5, 9, 11, 12}), Ranges({{3, 5}, {9, 9}, {11, 12}}));
}

TEST(NumberRanges, LoseWhatIsTakenOutOfThem) {
  const Ranges ranges = {{1, 10}, {20, 22}};
  EXPECT_EQ(without(ranges, std::vector<Sequence>{}), ranges);
  EXPECT_EQ(without(ranges, std::vector<Sequence>{1, 5, 10, 15, 21}), Ranges({{2, 4}, {6, 9}, {20, 20}, {22, 22}}));
  EXPECT_EQ(without(Ranges{{4, 6}}, std::vector<Sequence>{4, 5, 6}), Ranges());
}

TEST(OpenNumbers, AreNotAskedAboutAtOnce) {
  OpenNumbers numbers;
  EXPECT_EQ(numbers.still_open(Ranges{{5, 6}}, counter, start), Ranges({{5, 6}}));
  EXPECT_FALSE(numbers.wants_holders(start + 199ms));
  EXPECT_TRUE(numbers.wants_holders(start + 200ms));
}

TEST(OpenNumbers, CloseAtOnceWhenNobodyHoldsTheLock) {
  OpenNumbers numbers;
  numbers.still_open(Ranges{{5, 6}}, counter, start);
  numbers.saw_holders({}, start + 1s);
  EXPECT_EQ(numbers.still_open(Ranges{{5, 6}}, counter, start + 1s), Ranges());
}

TEST(OpenNumbers, StayOpenWhileOneOfTheirWitnessesIsThere) {
  OpenNumbers numbers;
  numbers.still_open(Ranges{{5, 5}}, counter, start);
  numbers.saw_holders({{"3/7", ""}, {"4/1", ""}}, start + 1s);
  EXPECT_EQ(numbers.still_open(Ranges{{5, 5}}, counter, start + 1s), Ranges({{5, 5}}));
  numbers.saw_holders({{"4/1", ""}, {"5/9", ""}}, start + 2s);
  EXPECT_EQ(numbers.still_open(Ranges{{5, 5}}, counter, start + 2s), Ranges({{5, 5}}));
  numbers.saw_holders({{"5/9", ""}, {"6/2", ""}}, start + 3s);  // They came later, and cannot have drawn it.
  EXPECT_EQ(numbers.still_open(Ranges{{5, 5}}, counter, start + 3s), Ranges());
}

TEST(OpenNumbers, StayOpenWhileSomebodyHasNoName) {  // It may be a witness, prepared before the server was restarted.
  OpenNumbers numbers;
  numbers.still_open(Ranges{{5, 5}}, counter, start);
  numbers.saw_holders({{"3/7", ""}}, start + 1s);
  numbers.still_open(Ranges{{5, 5}}, counter, start + 1s);
  numbers.saw_holders({{"-1/700", "prepared"}}, start + 2s);
  EXPECT_EQ(numbers.still_open(Ranges{{5, 5}}, counter, start + 2s), Ranges({{5, 5}}));
  numbers.saw_holders({}, start + 3s);
  EXPECT_EQ(numbers.still_open(Ranges{{5, 5}}, counter, start + 3s), Ranges());
}

TEST(OpenNumbers, WhoStandsStillDrawsNoMore) {  // One that is forgotten must not keep later numbers open.
  OpenNumbers numbers;
  numbers.still_open(Ranges{{5, 5}}, 5, start);
  numbers.saw_holders({{"3/7", "10:15"}}, start + 1s);
  numbers.still_open(Ranges{{5, 5}}, 6, start + 1s);  // The counter is at 6 while it stands still.
  numbers.still_open(Ranges{{5, 5}, {6, 6}, {7, 7}}, 8, start + 2s);
  numbers.saw_holders({{"3/7", "10:15"}}, start + 3s);
  EXPECT_EQ(numbers.still_open(Ranges{{5, 5}, {6, 6}, {7, 7}}, 8, start + 3s), Ranges({{5, 5}, {6, 6}}));
}

TEST(OpenNumbers, WhoHasMovedInBetweenMayHaveDrawnThem) {
  OpenNumbers numbers;
  numbers.still_open(Ranges{{5, 5}}, 5, start);
  numbers.saw_holders({{"3/7", "10:15"}}, start + 1s);
  numbers.still_open(Ranges{{5, 5}}, 6, start + 1s);
  numbers.still_open(Ranges{{5, 5}, {7, 7}}, 8, start + 2s);
  numbers.saw_holders({{"3/7", "10:16"}}, start + 3s);
  EXPECT_EQ(numbers.still_open(Ranges{{5, 5}, {7, 7}}, 8, start + 3s), Ranges({{5, 5}, {7, 7}}));
}

TEST(OpenNumbers, KeepTheTimeAndTheWitnessesOfEachPart) {
  OpenNumbers numbers;
  numbers.still_open(Ranges{{1, 1000}}, counter, start);
  // 500 has appeared, and 1001 to 1010 are new.
  numbers.still_open(Ranges{{1, 499}, {501, 1010}}, counter, start + 150ms);
  numbers.saw_holders({}, start + 200ms);
  EXPECT_EQ(numbers.still_open(Ranges{{1, 499}, {501, 1010}}, counter, start + 200ms), Ranges({{1001, 1010}}));
}

TEST(OpenNumbers, ThatWereNotLookedAtBeginAnew) {
  OpenNumbers numbers;
  numbers.still_open(Ranges{{5, 5}}, counter, start);
  numbers.still_open(Ranges{}, counter, start + 100ms);
  numbers.still_open(Ranges{{5, 5}}, counter, start + 200ms);
  EXPECT_FALSE(numbers.wants_holders(start + 300ms));
}

}  // namespace
}  // namespace makegood::postgres
