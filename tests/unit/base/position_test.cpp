#include "makegood/position.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "makegood/store.hpp"

namespace makegood {
namespace {

Position busy_position() {
  return {.reached = 9, .open = {7}, .under_way = {{"fn:billing", {3, 4}}, {"fn:mail", {4, 8}}}};
}

TEST(Position, IsWrittenWithRangesPerDestination) {
  EXPECT_EQ(encode(busy_position()),
            R"({"reached":9,"open":[[7,7]],"under_way":{"fn:billing":[[3,4]],"fn:mail":[[4,4],[8,8]]}})");
}

TEST(Position, OfANewLaneIsEmpty) { EXPECT_EQ(encode({}), R"({"reached":0,"open":[],"under_way":{}})"); }

TEST(Position, ComesBackAsItWasWritten) {
  for (const Position& position :
       {Position{}, busy_position(), Position{.reached = std::numeric_limits<Sequence>::max()},
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
                    R"({"reached":9,"open":[[1,9000000000000000000]],"under_way":{}})",
                    R"({"reached":9,"open":[[-9000000000000000000,9000000000000000000]],"under_way":{}})",
                    R"({"reached":9,"open":[],"under_way":{"fn:a":[[2]]}})",
                    R"({"reached":9,"open":[],"under_way":{})"));

TEST_P(BrokenPosition, IsRefusedAsDamage) {
  const Result<Position> decoded = decode_position(GetParam());
  ASSERT_FALSE(decoded);
  EXPECT_EQ(decoded.error().code, Errc::store_corrupt);
  EXPECT_FALSE(decoded.error().diagnostics.empty());
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
  for (const auto kind : {RequestKind::replay, RequestKind::quarantine, RequestKind::release, RequestKind::rewind}) {
    EXPECT_EQ(request_kind_from(to_string(kind)), kind);
  }
  EXPECT_EQ(request_kind_from("forget"), std::nullopt);
}

}  // namespace
}  // namespace makegood
