#include "observe/escape.hpp"

#include <gtest/gtest.h>

#include <string>

namespace makegood::observe {
namespace {

using namespace std::string_literals;

TEST(Escape, LeavesOrdinaryTextAlone) { EXPECT_EQ(escape("order.paid näher 注文 🙂"), "order.paid näher 注文 🙂"); }

TEST(Escape, WritesQuotesBackslashesAndControlsAsInJson) {
  EXPECT_EQ(escape("a\"b\\c\nd\re\tf\x1b[0m\x7f"s + '\0'), R"(a\"b\\c\nd\re\tf\u001b[0m\u007f\u0000)");
}

TEST(Escape, WritesControlsBeyondAsciiToo) {
  EXPECT_EQ(escape("\xC2\x85\xC2\x9B"), R"(\u0085\u009b)");
  EXPECT_EQ(escape("\xE2\x80\xA8\xE2\x80\xAE"), R"(\u2028\u202e)");
  EXPECT_EQ(escape("\xE2\x80\x8F\xE2\x81\xA6"), R"(\u200f\u2066)");
  EXPECT_EQ(escape("\xC2\xA0\xE2\x80\xA6"), "\xC2\xA0\xE2\x80\xA6");
}

TEST(Escape, ReplacesWhatIsNotUtf8) {
  const std::string replacement = "\xEF\xBF\xBD";
  for (const std::string& bad : {"\xFF"s, "\x80"s, "\xC3"s, "\xC0"s, "\xF5"s}) EXPECT_EQ(escape(bad), replacement);
  EXPECT_EQ(escape("\xE0\x80\x80"), replacement + replacement + replacement) << "overlong";
  EXPECT_EQ(escape("\xED\xA0\x80"), replacement + replacement + replacement) << "surrogate";
  EXPECT_EQ(escape("a\xC3z"), "a" + replacement + "z");
}

}  // namespace
}  // namespace makegood::observe
