// What a person has written wrongly.
#include "tests/unit/http/client/at_a_server.hpp"

namespace makegood::http {
namespace {

class HttpMistakes : public AtAServer {};

TEST_F(HttpMistakes, InADestinationAreRetriedSoThatNothingDiesOfATypo) {
  open(testing_support::reply(200));
  const auto broken = std::make_shared<const Destination>(Destination{.name = "http:shop", .settings = "{\"ur\": 1}"});
  for (int i = 0; i < 2; ++i) {
    const Outcome outcome = outcome_of(broken);
    EXPECT_EQ(outcome.kind, Outcome::Kind::retry);
    EXPECT_EQ(outcome.code, "CONFIG.INVALID");
    EXPECT_NE(outcome.detail.find("http:shop"), std::string::npos) << outcome.detail;
  }
}

TEST_F(HttpMistakes, InASecretsPlaceAreRetried) {
  open(testing_support::reply(200));
  const auto keyless = value_of(http_destination(
      "shop", {.url = server_->url(), .secret_headers = {{"Authorization", "env:MAKEGOOD_SECRET_NO_SUCH_VARIABLE"}}}));
  const Outcome outcome = outcome_of(std::make_shared<const Destination>(keyless));
  EXPECT_EQ(outcome.kind, Outcome::Kind::retry);
  EXPECT_EQ(outcome.code, "CONFIG.INVALID");
  EXPECT_EQ(server_->received_count(), 0U);
}

TEST_F(HttpMistakes, InACertificatesPlaceAreRetried) {
  open(testing_support::reply(200));
  std::string url = server_->url();
  url.replace(0, 4, "https");
  const auto broken = value_of(http_destination("shop", {.url = url, .ca_file = "/no/such/file.pem"}));
  const Outcome outcome = outcome_of(std::make_shared<const Destination>(broken));
  EXPECT_EQ(outcome.kind, Outcome::Kind::retry);
  EXPECT_EQ(outcome.code, "CONFIG.INVALID");
  EXPECT_NE(outcome.detail.find("was not sent"), std::string::npos) << outcome.detail;
}

TEST(HttpOptionsCheck, RefusesEveryWrongOptionInOneError) {
  const auto transport =
      new_http_transport({.threads = 0, .connections_max = 0, .connect_timeout = {}, .slow_after = {}});
  ASSERT_FALSE(transport);
  EXPECT_EQ(transport.error().code, Errc::config_invalid);
  for (const char* name : {"threads", "connect_timeout", "slow_after"}) {
    EXPECT_NE(transport.error().message.find(name), std::string::npos) << name;
  }
}

TEST(HttpOptionsCheck, RefusesANetworkThatIsNone) {
  EXPECT_FALSE(new_http_transport({.tenant_networks = {"10.0.0.0/99"}}));
}

}  // namespace
}  // namespace makegood::http
