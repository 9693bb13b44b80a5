#include "makegood/spi/position.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "makegood/spi/store.hpp"

namespace makegood {
namespace {

Position busy_position() {
  return {.reached = 9, .open = {7}, .under_way = {{"fn:billing", {3, 4}}, {"fn:mail", {4, 8}}}};
}

/// With one of everything that is not there in most positions.
Position exceptional_position() {
  return {.reached = 20,
          .open = {7},
          .under_way = {{"fn:billing", {3, 4}}},
          .sides = {{.scope = {.destination = "fn:mail"}, .why = SideLane::Why::broken, .reached = 5},
                    {.scope = {"fn:mail", "acme", "order-7"},
                     .why = SideLane::Why::crowded,
                     .is_paused = true,
                     .reached = 9,
                     .under_way = {6, 8, 9}},
                    {.scope = {.destination = "fn:push", .priority = -2},
                     .why = SideLane::Why::history,
                     .reached = 4,
                     .under_way = {4},
                     .begin = 2,
                     .end = 17,
                     .routing = 3,
                     .replay = 12}},
          .suspects = {{"fn:billing", {{3, 1}, {4, 2}}}, {"fn:mail", {{6, 1}, {8, 1}}}},
          .alone = Position::Alone{.destination = "fn:billing", .sequence = 4}};
}

TEST(Position, KeepsTheClockThatItWasDecidedBy) {
  const Position position{.reached = 9, .clock = TimePoint(Duration(1'700'000'000'123'456))};
  const auto read_back = decode_position(encode(position));
  ASSERT_TRUE(read_back);
  EXPECT_EQ(*read_back, position);
  EXPECT_EQ(decode_position(R"({"reached":9,"open":[],"under_way":{}})")->clock, TimePoint())
      << "as it was written before";
}

TEST(Position, IsWrittenWithTheLengthsOfRunsPerDestination) {
  EXPECT_EQ(encode(busy_position()),
            R"({"reached":9,"open":[7,1],"under_way":{"fn:billing":[3,2],"fn:mail":[4,1,3,1]}})");
}

TEST(Position, TellsWhatWasCancelledAndIsStillToBeRead) {
  const Position position{.reached = 9, .cancelled = {{"-", {12, 13, 20}}, {"fn:a", {7}}}};
  EXPECT_EQ(encode(position), R"({"reached":9,"open":[],"under_way":{},"cancelled":{"-":[12,2,6,1],"fn:a":[7,1]}})");
  EXPECT_EQ(*decode_position(encode(position)), position);
}

TEST(Position, OfANewLaneIsEmpty) { EXPECT_EQ(encode(Position{}), R"({"reached":0,"open":[],"under_way":{}})"); }

TEST(Position, IsWrittenWithItsSideLanesSuspectsAndTheOneAlone) {
  EXPECT_EQ(encode(exceptional_position()),
            R"({"reached":20,"open":[7,1],"under_way":{"fn:billing":[3,2]},)"
            R"("sides":[{"destination":"fn:mail","why":"broken","reached":5,"under_way":[]},)"
            R"({"destination":"fn:mail","tenant_id":"acme","dispatch_key":"order-7","why":"crowded","is_paused":true,)"
            R"("reached":9,"under_way":[6,1,1,2]},)"
            R"({"destination":"fn:push","priority":-2,"why":"history","reached":4,"under_way":[4,1],)"
            R"("begin":2,"end":17,"routing":3,"replay":12}],)"
            R"("suspects":{"fn:billing":{"1":[3,1],"2":[4,1]},"fn:mail":{"1":[6,1,1,1]}},)"
            R"("alone":{"destination":"fn:billing","sequence":4}})");
}

TEST(Position, IsReadFromPairsToo) {  // So it was written at first.
  const Result<Position> decoded =
      decode_position(R"({"reached":9,"open":[[7,7]],"under_way":{"fn:billing":[[3,4]],"fn:mail":[[4,4],[8,8]]}})");
  ASSERT_TRUE(decoded);
  EXPECT_EQ(*decoded, busy_position());
}

TEST(Position, KeepsEveryByteOfAKey) {
  Position position;
  position.sides = {{.scope = {"fn:a", "größe \"x\"", std::string("a\0b\\\n\xff", 6)}}};
  const Result<Position> decoded = decode_position(encode(position));
  ASSERT_TRUE(decoded) << encode(position);
  EXPECT_EQ(*decoded, position);
}

TEST(Position, ComesBackAsItWasWritten) {
  for (const Position& position :
       {Position{}, busy_position(), exceptional_position(), Position{.reached = std::numeric_limits<Sequence>::max()},
        Position{.reached = 5, .open = {1, 2, 3, 5}}}) {
    const Result<Position> decoded = decode_position(encode(position));
    ASSERT_TRUE(decoded) << encode(position);
    EXPECT_EQ(*decoded, position);
  }
}

TEST(Position, ForgetsADestinationWithNothingUnderWay) {
  const Result<Position> decoded = decode_position(R"({"reached":9,"open":[],"under_way":{"fn:a":[],"fn:b":[[1,1]]}})");
  ASSERT_TRUE(decoded);
  EXPECT_EQ(decoded->under_way, (std::map<std::string, std::vector<Sequence>, std::less<>>{{"fn:b", {1}}}));
}

class BrokenPosition : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(
    Texts, BrokenPosition,
    testing::Values("", "nonsense", "[]", "{}", R"({"reached":9,"open":[]})",
                    R"({"reached":"9","open":[],"under_way":{}})", R"({"reached":9.5,"open":[],"under_way":{}})",
                    R"({"reached":9,"open":[],"under_way":[]})", R"({"reached":9,"open":7,"under_way":{}})",
                    R"({"reached":9,"open":[7],"under_way":{}})", R"({"reached":9,"open":[[7]],"under_way":{}})",
                    R"({"reached":9,"open":[[7,"8"]],"under_way":{}})",
                    R"({"reached":9,"open":[[8,7]],"under_way":{}})", R"({"reached":9,"open":[[0,7]],"under_way":{}})",
                    R"({"reached":9,"open":[[5,7],[6,8]],"under_way":{}})",
                    R"({"reached":9,"open":[],"under_way":{"fn:a":[[1,9000000000000000000]]}})",
                    R"({"reached":9,"open":[[-9000000000000000000,9000000000000000000]],"under_way":{}})",
                    R"({"reached":9,"open":[],"under_way":{"fn:a":[[2]]}})",
                    R"({"reached":9,"open":[1,2,3],"under_way":{}})", R"({"reached":9,"open":[0,2],"under_way":{}})",
                    R"({"reached":9,"open":[3,0],"under_way":{}})", R"({"reached":9,"open":[3,-1],"under_way":{}})",
                    R"({"reached":9,"open":[-3,9],"under_way":{}})", R"({"reached":9,"open":["3",1],"under_way":{}})",
                    R"({"reached":9,"open":[3,[5,6]],"under_way":{}})",
                    R"({"reached":9,"open":[9000000000000000000,9000000000000000000],"under_way":{}})",
                    R"({"reached":9,"open":[],"under_way":{"fn:a":[1,9000000000000000000]}})",
                    R"({"reached":9,"open":[],"under_way":{})"));

TEST_P(BrokenPosition, IsRefusedAsDamage) {
  const Result<Position> decoded = decode_position(GetParam());
  ASSERT_FALSE(decoded);
  EXPECT_EQ(decoded.error().code, Errc::store_corrupt);
  EXPECT_FALSE(decoded.error().diagnostics.empty());
}

class BrokenException : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(
    Texts, BrokenException,
    testing::Values(R"("sides":{})", R"("sides":[7])", R"("sides":[{}])",
                    R"("sides":[{"destination":"","why":"paused","reached":1,"under_way":[]}])",
                    R"("sides":[{"destination":7,"why":"paused","reached":1,"under_way":[]}])",
                    R"("sides":[{"destination":"d","tenant_id":7,"why":"paused","reached":1,"under_way":[]}])",
                    R"("sides":[{"destination":"d","dispatch_key":[],"why":"paused","reached":1,"under_way":[]}])",
                    R"("sides":[{"destination":"d","priority":"high","why":"paused","reached":1,"under_way":[]}])",
                    R"("sides":[{"destination":"d","priority":9000000000,"why":"paused","reached":1,"under_way":[]}])",
                    R"("sides":[{"destination":"d","why":"bored","reached":1,"under_way":[]}])",
                    R"("sides":[{"destination":"d","reached":1,"under_way":[]}])",
                    R"("sides":[{"destination":"d","why":"paused","is_paused":1,"reached":1,"under_way":[]}])",
                    R"("sides":[{"destination":"d","why":"paused","under_way":[]}])",
                    R"("sides":[{"destination":"d","why":"paused","reached":1}])",
                    R"("sides":[{"destination":"d","why":"paused","reached":1,"under_way":[[2,1]]}])",
                    R"("sides":[{"destination":"d","why":"history","reached":1,"under_way":[],"begin":1,"end":2}])",
                    R"("suspects":[])", R"("suspects":{"d":[]})", R"("suspects":{"d":{"x":[[1,1]]}})",
                    R"("suspects":{"d":{"0":[[1,1]]}})", R"("suspects":{"d":{"1x":[[1,1]]}})",
                    R"("suspects":{"d":{"1":[1]}})", R"("alone":7)", R"("alone":{"sequence":1})",
                    R"("alone":{"destination":"d"})"));

TEST_P(BrokenException, IsRefusedAsDamage) {  // Above all it must not become a wider scope.
  const Result<Position> decoded = decode_position(R"({"reached":9,"open":[],"under_way":{},)" + GetParam() + "}");
  ASSERT_FALSE(decoded);
  EXPECT_EQ(decoded.error().code, Errc::store_corrupt);
  EXPECT_FALSE(decoded.error().diagnostics.empty());
}

TEST(Position, IsSettledOnlyAsFarAsItsSideLanesAre) {
  EXPECT_EQ(settled({.reached = 9, .sides = {{.scope = {"fn:a"}, .reached = 5}}}), 5);
  EXPECT_EQ(settled({.reached = 9, .sides = {{.scope = {"fn:a"}, .reached = 5, .under_way = {3, 4}}}}), 2);
  EXPECT_EQ(settled({.reached = 9, .sides = {{.scope = {"fn:a"}, .reached = 9}}}), 9);
  EXPECT_EQ(settled({.reached = 9, .open = {4}, .sides = {{.scope = {"fn:a"}, .reached = 5}}}), 3);
  EXPECT_EQ(settled(exceptional_position()), 2);
}

TEST(Position, IsSettledUpToItsLowestHole) {
  EXPECT_EQ(settled({}), 0);
  EXPECT_EQ(settled({.reached = 9}), 9);
  EXPECT_EQ(settled({.reached = 9, .open = {7, 8}}), 6);
  EXPECT_EQ(settled({.reached = 9, .under_way = {{"fn:a", {4, 6}}}}), 3);
  EXPECT_EQ(settled({.reached = 9, .open = {2}, .under_way = {{"fn:a", {4, 6}}}}), 1);
  EXPECT_EQ(settled(busy_position()), 2);
}

TEST(ParkedState, ComesBackFromItsText) {
  for (const auto state :
       {ParkedState::waiting, ParkedState::held, ParkedState::dead, ParkedState::quarantined, ParkedState::done}) {
    EXPECT_EQ(parked_state_from(to_string(state)), state);
  }
  EXPECT_EQ(parked_state_from("lost"), std::nullopt);
}

TEST(RequestKind, ComesBackFromItsText) {
  using enum RequestKind;
  for (const auto kind : {replay, quarantine, release, rewind, pause, resume, unblock, history, cancel, cancel_message,
                          configure, annotate, go_on}) {
    EXPECT_EQ(request_kind_from(to_string(kind)), kind);
  }
  EXPECT_EQ(request_kind_from("forget"), std::nullopt);
}

TEST(PositionDeathTest, IsNotWrittenWhenItCouldNotBeRead) {
  for (const std::vector<Sequence>& numbers : {std::vector<Sequence>{5, 5}, {9, 3}, {0}}) {
    EXPECT_DEATH(encode({.reached = 9, .under_way = {{"fn:a", numbers}}}), "broken invariant");
  }
}

}  // namespace
}  // namespace makegood
