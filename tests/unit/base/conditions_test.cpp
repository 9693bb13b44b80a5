#include "base/conditions.hpp"

#include <gtest/gtest.h>

#include "tests/support/value_of.hpp"

namespace makegood {
namespace {

Condition condition_in(std::string_view text) { return value_of(parse_condition(text)); }

TEST(Conditions, AreWrittenAsTheyAreRead) {
  constexpr std::string_view text = R"(${a.b} == "x" && !${c} || ${d|0} >= 3)";
  EXPECT_EQ(to_text(condition_in(text)), text);
}

TEST(Conditions, HoldTogetherWhenBothDo) {
  EXPECT_EQ(to_text(both(condition_in("${a} || ${b}"), condition_in("${c} > 1")).value()),
            "${a} && ${c} > 1 || ${b} && ${c} > 1");
  EXPECT_EQ(to_text(both(condition_in("${a}"), condition_in("${a} && ${b}")).value()), "${a} && ${b}");
}

TEST(Conditions, HaveAnOpposite) {
  EXPECT_EQ(to_text(opposite_of(condition_in("${a} == 1")).value()), "${a} != 1");
  EXPECT_EQ(to_text(opposite_of(condition_in("${a} && ${b} < 2")).value()), "!${a} || ${b} >= 2");
  EXPECT_EQ(to_text(opposite_of(condition_in("${a} || !${b}")).value()), "!${a} && ${b}");
}

TEST(Conditions, DoNotGrowWithoutALimit) {
  Condition wide;
  for (int i = 0; i < 9; ++i) wide.push_back(condition_in("${a" + std::to_string(i) + "}").front());
  EXPECT_FALSE(both(wide, wide));
}

TEST(Conditions, ThatNeverOrAlwaysHoldAreKnown) {
  EXPECT_TRUE(never_holds(condition_in("false || ${a} == 1 && ${a} == 2")));
  EXPECT_TRUE(never_holds(condition_in("${a} && !${a}")));
  EXPECT_FALSE(never_holds(condition_in("${a} == 1 && ${b} == 2")));
  EXPECT_TRUE(always_holds(condition_in("${a} || true")));
  EXPECT_FALSE(always_holds(condition_in("${a} && true")));
}

TEST(Conditions, ImplyOneAnother) {
  EXPECT_TRUE(implies(condition_in("${a} && ${b}"), condition_in("${b}")));
  EXPECT_FALSE(implies(condition_in("${a} || ${b}"), condition_in("${b}")));
}

}  // namespace
}  // namespace makegood
