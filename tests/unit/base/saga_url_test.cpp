#include "base/saga_url.hpp"

#include <gtest/gtest.h>

#include <array>

namespace makegood {
namespace {

std::string below(std::string_view url, std::string_view base) {
  const auto path = path_below(url, base);
  return path ? std::string(*path) : "no";
}

TEST(SagaUrl, LiesBelowAnotherByWholeSegments) {
  EXPECT_EQ(below("https://h/api/send", "https://h/api"), "send");
  EXPECT_EQ(below("https://h/api/send", "https://h/api/"), "send");
  EXPECT_EQ(below("https://h/api/a/b?x=1&y=/", "https://h"), "api/a/b?x=1&y=/");
  EXPECT_EQ(below("https://h/api", "https://h/api"), "");
  EXPECT_EQ(below("https://h/", "https://h"), "");
  EXPECT_EQ(below("https://h/apix/send", "https://h/api"), "no");
  EXPECT_EQ(below("https://h/other", "https://h/api"), "no");
  EXPECT_EQ(below("https://h/api", "https://h/api/"), "no") << "its slash is of another place";
  EXPECT_EQ(below("https://h/api?x=1", "https://h/api"), "no") << "it could not be joined";
  EXPECT_EQ(below("https://h/API/send", "https://h/api"), "no") << "paths have a case";
}

TEST(SagaUrl, IsAtTheSameSchemeHostAndPort) {
  EXPECT_EQ(below("https://Shop.Example:443/a", "https://shop.example"), "a");
  EXPECT_EQ(below("http://h:80/a", "http://h/"), "a");
  EXPECT_EQ(below("http://[::1]:8080/a", "http://[::1]:8080"), "a");
  EXPECT_EQ(below("http://h/a", "https://h"), "no");
  EXPECT_EQ(below("https://h:8443/a", "https://h"), "no");
  EXPECT_EQ(below("https://h.example/a", "https://h"), "no");
  EXPECT_EQ(below("https://hh/a", "https://h"), "no");
  EXPECT_EQ(below("https://[::1]:8080/a", "https://[::1]:8081"), "no");
}

TEST(SagaUrl, HasNobodysNameInItAndDoesNotClimb) {
  for (const char* url : {"https://ann@h/a", "https://ann:secret@h/a", "https://h@evil/a", "https:///a",
                          "https://h/a/../b", "https://h/..", "https://h/./a", "https://h/%2e%2E/a",
                          "https://h/a%2f..%2fb", "https://h/a\\..\\b", "https://h/%2e/"}) {
    EXPECT_NE(problem_of_url(url), "") << url;
  }
  for (const char* url :
       {"https://h", "https://h/", "https://h/a..b/...", "https://h/a?x=../b", "http://127.0.0.1:80/a"}) {
    EXPECT_EQ(problem_of_url(url), "") << url;
  }
  EXPECT_EQ(below("https://ann@h/a", "https://h"), "no");
}

TEST(SagaUrl, IsCarriedByTheLongest) {
  const std::array<std::string, 4> bases = {"https://h", "https://h/api/mail", "", "https://h/api"};
  EXPECT_EQ(longest_below("https://h/api/mail/send", bases), 1U);
  EXPECT_EQ(longest_below("https://h/api/sms", bases), 3U);
  EXPECT_EQ(longest_below("https://h/x", bases), 0U);
  EXPECT_EQ(longest_below("https://other/x", bases), std::nullopt);
}

TEST(SagaUrl, IsCarriedByDestinationsOfTheOperatorThatHaveAPlainUrl) {
  const auto url = [](const char* name, const char* settings, const char* tenant = "") {
    return url_for_actions({.name = name, .tenant_id = tenant, .settings = settings});
  };
  EXPECT_EQ(url("http:mail", R"({"url":"https://h/api"})"), "https://h/api");
  EXPECT_EQ(url("http:mail", R"({"url":"https://h/api"})", "acme"), "") << "its URL and secrets are the tenant's";
  EXPECT_EQ(url("http:mail", R"({"url":"https://h/api?key=1"})"), "");
  EXPECT_EQ(url("http:mail", R"({"raw_prefixes":["https://h"]})"), "");
  EXPECT_EQ(url("nats:mail", R"({"url":"https://h/api"})"), "");
  EXPECT_EQ(url("http:mail", ""), "");
}

}  // namespace
}  // namespace makegood
