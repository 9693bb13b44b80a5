#include "transports/net/guard.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "transports/http/url.hpp"

namespace makegood::http {
namespace {

std::vector<Address> addresses(const std::vector<std::string>& texts) {
  std::vector<Address> result;
  result.reserve(texts.size());
  for (const std::string& text : texts) result.push_back(parse_address(text).value());
  return result;
}

bool mentions(const Result<>& refused, std::string_view text) {
  return !refused && refused.error().message.find(text) != std::string::npos;
}

TEST(Guard, GivesOperatorsTheirOwnNetworksButNotTheForbiddenOnes) {
  const Guard guard = *Guard::from({});
  EXPECT_TRUE(guard.check(addresses({"8.8.8.8", "10.0.0.1", "127.0.0.1", "::1", "fd12::1"}), Trust::operators));
  EXPECT_FALSE(guard.check(addresses({"169.254.169.254"}), Trust::operators));
  EXPECT_TRUE(check(guard, *parse_url("http://billing:9999/"), Trust::operators));
}

TEST(Guard, IsSpoiltByOneBadAddressWhereverItStands) {
  const Guard guard = *Guard::from({});
  EXPECT_TRUE(guard.check(addresses({"8.8.8.8", "1.1.1.1"}), Trust::tenants));
  EXPECT_FALSE(guard.check(addresses({"10.0.0.1", "8.8.8.8"}), Trust::tenants));
  EXPECT_FALSE(guard.check(addresses({"8.8.8.8", "10.0.0.1"}), Trust::tenants));
  std::vector<std::string> many(1000, "8.8.8.8");
  EXPECT_TRUE(guard.check(addresses(many), Trust::tenants));
  many.back() = "127.0.0.1";
  EXPECT_FALSE(guard.check(addresses(many), Trust::tenants));
}

TEST(Guard, RefusesANameWithoutAddresses) {
  EXPECT_FALSE(Guard::from({})->check(std::vector<Address>{}, Trust::operators));
}

TEST(Guard, GivesTenantsTheNetworksThatAreSet) {
  const Guard guard = *Guard::from({.tenant_networks = {"10.20.0.0/16", "fd12::/16"}});
  EXPECT_TRUE(guard.check(addresses({"10.20.30.40", "fd12::1", "8.8.8.8"}), Trust::tenants));
  EXPECT_FALSE(guard.check(addresses({"10.21.0.1"}), Trust::tenants));
  EXPECT_TRUE(check(guard, *parse_url("http://10.20.30.40/"), Trust::tenants));
  EXPECT_FALSE(check(guard, *parse_url("http://10.21.0.1/"), Trust::tenants));
}

TEST(Guard, NeverGivesTenantsAForbiddenNetwork) {
  const Guard guard = *Guard::from({.tenant_networks = {"169.254.0.0/16", "0.0.0.0/0", "::/0", "fd00:ec2::/32"}});
  for (const auto* text : {"169.254.169.254", "224.0.0.1", "fd00:ec2::254", "::ffff:10.0.0.1", "100.100.100.200"}) {
    EXPECT_TRUE(mentions(guard.check(addresses({text}), Trust::tenants), "no setting allows it")) << text;
  }
}

TEST(Guard, GivesTenantsPrivateNamesOnceANetworkIsSet) {
  const Url url = *parse_url("http://hooks.corp.internal/");
  EXPECT_FALSE(check(*Guard::from({}), url, Trust::tenants));
  EXPECT_TRUE(check(*Guard::from({.tenant_networks = {"10.20.0.0/16"}}), url, Trust::tenants));
  const Url own = *parse_url("http://localhost/");
  EXPECT_FALSE(check(*Guard::from({.tenant_networks = {"127.0.0.0/8"}}), own, Trust::tenants));
}

TEST(Guard, GivesTenantsOnlyThePortsThatAreSet) {
  const Url url = *parse_url("https://hooks.example:8443/");
  EXPECT_FALSE(check(*Guard::from({}), url, Trust::tenants));
  EXPECT_TRUE(check(*Guard::from({}), url, Trust::operators));
  EXPECT_TRUE(check(*Guard::from({.tenant_ports = {8443}}), url, Trust::tenants));
  EXPECT_FALSE(check(*Guard::from({.tenant_ports = {}}), url, Trust::tenants));
}

TEST(Guard, NamesTheSettingThatWouldAllowIt) {
  const Guard guard = *Guard::from({});
  EXPECT_TRUE(mentions(guard.check(addresses({"10.0.0.1"}), Trust::tenants), "`http.tenant_networks`"));
  EXPECT_TRUE(mentions(check(guard, *parse_url("http://vault.internal/"), Trust::tenants), "`http.tenant_networks`"));
  EXPECT_TRUE(mentions(check(guard, *parse_url("http://hooks.example:22/"), Trust::tenants),
                       "Port 22 is not in `http.tenant_ports` (80, 443)"));
  EXPECT_TRUE(mentions(check(guard, *parse_url("http://localhost/"), Trust::tenants), "no setting allows"));
  EXPECT_TRUE(mentions(check(guard, *parse_url("http://metadata.google.internal/"), Trust::operators), "no setting"));
}

TEST(Guard, TellsTheAddressOfANameToOperatorsOnly) {
  const Result<> refused = Guard::from({})->check(addresses({"10.0.0.1"}), Trust::tenants);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::rejected);
  EXPECT_EQ(refused.error().message.find("10.0.0.1"), std::string::npos);
  EXPECT_EQ(refused.error().diagnostics, "10.0.0.1");
}

TEST(Guard, RefusesOptionsThatAreNotWhatTheySay) {
  const Result<Guard> network = Guard::from({.tenant_networks = {"10.20.0.0/16", "10.20.1.0/16"}});
  ASSERT_FALSE(network);
  EXPECT_EQ(network.error().code, Errc::config_invalid);
  EXPECT_NE(network.error().message.find("`10.20.1.0/16` in `http.tenant_networks`"), std::string::npos);
  const Result<Guard> port = Guard::from({.tenant_ports = {443, 0}});
  ASSERT_FALSE(port);
  EXPECT_EQ(port.error().code, Errc::config_invalid);
}

}  // namespace
}  // namespace makegood::http
