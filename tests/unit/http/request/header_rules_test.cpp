#include "transports/http/header_rules.hpp"

#include <gtest/gtest.h>

namespace makegood::http {
namespace {

TEST(HeaderRules, TakeNoControlCharacterAndNothingBeyondAsciiAsValues) {
  for (const std::string_view value : {"", "a", "Bearer abc=", "~ !"}) EXPECT_TRUE(is_header_value(value));
  for (int byte = 0; byte < 256; ++byte) {
    const std::string value = {'a', static_cast<char>(byte), 'b'};
    EXPECT_EQ(is_header_value(value), byte >= 0x20 && byte <= 0x7E) << byte;
  }
  EXPECT_FALSE(is_header_value(std::string(header_value_bytes_max + 1, 'a')));
}

TEST(HeaderRules, ReserveWhatFramesTheRequestAndWhatIsOurs) {
  for (const std::string_view name : {"Host",
                                      "content-length",
                                      "Transfer-Encoding",
                                      "CONNECTION",
                                      "TE",
                                      "Trailer",
                                      "Upgrade",
                                      "Expect",
                                      "Keep-Alive",
                                      "Proxy-Authorization",
                                      "proxy-connection",
                                      "HTTP2-Settings",
                                      "Content-Type",
                                      "Idempotency-Key",
                                      "webhook-id",
                                      "Webhook-Anything",
                                      "ce-id",
                                      "CE-x",
                                      "makegood-tenant",
                                      "traceparent",
                                      "tracestate"}) {
    EXPECT_TRUE(is_reserved_header(name)) << name;
  }
  for (const std::string_view name : {"Authorization", "X-Host", "ceo", "webhooks", "User-Agent", "Accept", "proxy"}) {
    EXPECT_FALSE(is_reserved_header(name)) << name;
  }
}

TEST(HeaderRules, KnowCredentials) {
  for (const std::string_view name : {"Authorization", "proxy-authorization", "COOKIE", "X-Api-Key", "x-auth-token"}) {
    EXPECT_TRUE(is_credential_header(name)) << name;
  }
  for (const std::string_view name : {"X-Authorization-Hint", "Cookies", "X-Team"}) {
    EXPECT_FALSE(is_credential_header(name)) << name;
  }
}

TEST(HeaderRules, SayWhatIsAllowedAndNeverTheValue) {
  EXPECT_EQ(objection_to_name("X-Fine"), std::nullopt);
  EXPECT_NE(objection_to_name("a b")->find("allowed: letters"), std::string::npos);
  EXPECT_NE(objection_to_name("Host")->find("leave it out"), std::string::npos);
  const auto objection = objection_to_value("s3cret\n");
  EXPECT_NE(objection->find("allowed: printable ASCII"), std::string::npos);
  EXPECT_EQ(objection->find("s3cret"), std::string::npos);
}

TEST(HeaderRules, LeaveTheSpacesAroundAValueOut) {
  EXPECT_EQ(trimmed("  a b "), "a b");
  EXPECT_EQ(trimmed("   "), "");
}

}  // namespace
}  // namespace makegood::http
