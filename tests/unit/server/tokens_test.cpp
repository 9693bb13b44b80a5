#include "server/tokens.hpp"

#include <gtest/gtest.h>

namespace makegood::server {
namespace {

constexpr const char* two_lines =
    "# who may\n"
    "viewer   wall  0123456789abcdef-wall\r\n"
    "\n"
    "operator ann   0123456789abcdef-ann\n"
    "producer shop  0123456789abcdef-shop\n"
    "metrics  prom  0123456789abcdef-prom\n";

TEST(Tokens, AreReadFromLines) {
  const auto tokens = parse_tokens(two_lines, "tokens");
  ASSERT_TRUE(tokens);
  ASSERT_EQ(tokens->size(), 4U);
  EXPECT_EQ((*tokens)[0].role, api::Role::viewer);
  EXPECT_EQ((*tokens)[0].name, "wall");
  EXPECT_EQ((*tokens)[1].role, api::Role::operate);
  EXPECT_EQ((*tokens)[2].role, api::Role::producer);
  EXPECT_EQ((*tokens)[3].role, api::Role::metrics);
  EXPECT_EQ((*tokens)[1].secret, "0123456789abcdef-ann");
}

TEST(Tokens, AreReadFromOneLineOfAVariable) {
  const auto tokens = parse_tokens("viewer a 0123456789abcdef-a; operator b 0123456789abcdef-b", "MAKEGOOD_TOKENS");
  ASSERT_TRUE(tokens);
  EXPECT_EQ(tokens->size(), 2U);
}

TEST(Tokens, AreRefusedWithPlaceAndAdviceAndWithoutTheSecret) {
  for (const char* text : {"admin ann 0123456789abcdef", "viewer ann", "viewer ann short-secret",
                           "viewer ann 0123456789abcdef one-word-more",
                           "viewer a 0123456789abcdef-same\nviewer b 0123456789abcdef-same"}) {
    const auto tokens = parse_tokens(text, "the-file");
    ASSERT_FALSE(tokens) << text;
    EXPECT_EQ(tokens.error().code, Errc::config_invalid);
    EXPECT_NE(tokens.error().message.find("the-file, line"), std::string::npos);
    EXPECT_EQ(tokens.error().message.find("0123456789"), std::string::npos);
    EXPECT_EQ(tokens.error().message.find("short-secret"), std::string::npos);
  }
}

TEST(Secret, IsTheSameOnlyWithEveryByte) {
  EXPECT_TRUE(is_same_secret("0123456789abcdef", "0123456789abcdef"));
  EXPECT_FALSE(is_same_secret("0123456789abcdeF", "0123456789abcdef"));
  EXPECT_FALSE(is_same_secret("0123456789abcde", "0123456789abcdef"));
  EXPECT_FALSE(is_same_secret("0123456789abcdef0123456789abcdef", "0123456789abcdef"));
  EXPECT_FALSE(is_same_secret("", "0123456789abcdef"));
  EXPECT_FALSE(is_same_secret("", ""));
}

TEST(Bearer, IsTakenFromTheHeaderWhateverItsCase) {
  EXPECT_EQ(bearer_secret("Bearer abc"), "abc");
  EXPECT_EQ(bearer_secret("bearer   abc "), "abc");
  EXPECT_EQ(bearer_secret("Basic abc"), "");
  EXPECT_EQ(bearer_secret(""), "");
}

}  // namespace
}  // namespace makegood::server
