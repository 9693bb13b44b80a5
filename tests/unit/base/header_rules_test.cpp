#include "base/header_rules.hpp"

#include <gtest/gtest.h>

namespace makegood {
namespace {

std::string header_refusal(std::string_view name, std::string_view value = "v") {
  const auto taken = HeaderCheck().take(name, value);
  EXPECT_TRUE(taken || taken.error().code == Errc::invalid);
  return taken ? "" : taken.error().message;
}

TEST(HeaderRules, TakeOnlyTokensAsNames) {
  for (const std::string_view name : {"Authorization", "X-Trace_1", "x!#$%&'*+-.^_`|~9"})
    EXPECT_TRUE(is_header_name(name));
  for (const std::string_view name : {"", "a b", "a:b", "a\r\n", "a\tb", "h\xC3\xA9", "a(b)", "a/b", "a\"b"}) {
    EXPECT_FALSE(is_header_name(name)) << name;
  }
  EXPECT_FALSE(is_header_name(std::string_view("a\0b", 3)));
  EXPECT_TRUE(is_header_name(std::string(header_name_bytes_max, 'a')));
  EXPECT_FALSE(is_header_name(std::string(header_name_bytes_max + 1, 'a')));
}

TEST(HeaderRules, TakeValuesOfEveryAlphabetWithoutControlCharacters) {
  for (const std::string_view value : {"", "Bearer abc=", "n\xC3\xA4her"}) EXPECT_EQ(header_refusal("x-a", value), "");
  for (const std::string_view value : {"a\r\nx: y", "a\tb", "\x7F"}) EXPECT_NE(header_refusal("x-a", value), "");
  EXPECT_EQ(header_refusal("x-a", std::string(header_value_bytes_max, 'v')), "");
  EXPECT_NE(header_refusal("x-a", std::string(header_value_bytes_max + 1, 'v')), "");
}

TEST(HeaderRules, LeaveToHttpWhatOnlyHttpForbids) {
  for (const std::string_view name : {"Host", "ce-type", "Content-Type"}) EXPECT_EQ(header_refusal(name), "");
}

TEST(HeaderRules, TakeSoManyHeadersAndNoMore) {
  HeaderCheck check;
  for (std::size_t i = 0; i < headers_max; ++i) EXPECT_TRUE(check.take("x-a", "v"));
  EXPECT_FALSE(check.take("x-a", "v"));
}

TEST(HeaderRules, TakeSoManyBytesAndNoMore) {
  HeaderCheck check;
  const std::string value(header_value_bytes_max - 1, 'v');
  for (std::size_t i = 0; i < headers_bytes_max / header_value_bytes_max; ++i) EXPECT_TRUE(check.take("a", value));
  EXPECT_FALSE(check.take("a", ""));
}

TEST(HeaderRules, NeverTellAValueOrWhatIsNoName) {
  EXPECT_NE(header_refusal("x-a", "s3cret\n").find("x-a"), std::string::npos);
  EXPECT_EQ(header_refusal("x-a", "s3cret\n").find("s3cret"), std::string::npos);
  EXPECT_EQ(header_refusal("s3cret token").find("s3cret"), std::string::npos);
}

}  // namespace
}  // namespace makegood
