// Hosts with names: what was looked up is checked, and what was checked is connected to.
#include "tests/support/dns_server.hpp"
#include "tests/unit/http/client/at_a_server.hpp"

namespace makegood::http {
namespace {

using testing_support::DnsReply;
using testing_support::reply;
using namespace std::chrono_literals;

class HttpNames : public AtAServer {
 protected:
  void open_with_names() { open(reply(200), {.dns_servers = {dns_.server()}}); }
  DestinationPtr to_name(const std::string& name) {
    return to_url("http://" + name + ":" + std::to_string(server_->port()) + "/");
  }
  DestinationPtr for_tenant(const DestinationPtr& destination) {
    Destination copy = *destination;
    copy.tenant_id = "t1";
    return std::make_shared<const Destination>(std::move(copy));
  }

  testing_support::DnsServer dns_;
};

TEST_F(HttpNames, AreKeptInTheRequest) {
  dns_.script("shop.example", {.addresses = {"127.0.0.1"}});
  open_with_names();
  EXPECT_EQ(outcome_of(to_name("shop.example")).kind, Outcome::Kind::ok);
  EXPECT_EQ(server_->received().front().headers.at("host"), "shop.example:" + std::to_string(server_->port()));
}

TEST_F(HttpNames, AreReachedAtTheirNextAddressWhenOneRefuses) {
  dns_.script("shop.example", {.addresses = {"127.0.0.2", "127.0.0.3", "127.0.0.1"}});
  open_with_names();
  const auto to = to_name("shop.example");
  EXPECT_EQ(outcome_of(to).kind, Outcome::Kind::ok);
  EXPECT_EQ(outcome_of(to).kind, Outcome::Kind::ok);
  EXPECT_EQ(server_->accepted_count(), 1U) << "the address that works is kept";
}

TEST_F(HttpNames, AreTriedAtAFewAddressesOnlyWithinOneAttempt) {
  std::vector<std::string> many;
  for (int i = 2; i < 100; ++i) many.push_back("127.0.0." + std::to_string(i));
  dns_.script("shop.example", {.addresses = many});
  open_with_names();
  const Outcome outcome = outcome_of(to_name("shop.example"));
  EXPECT_EQ(outcome.code, "PROVIDER.UNAVAILABLE");
  EXPECT_EQ(outcome.reach, Outcome::Reach::unreachable) << "it costs time and no attempt";
  EXPECT_NE(outcome.detail.find("was not sent"), std::string::npos) << outcome.detail;
}

TEST_F(HttpNames, PinNothingThatComesAfterThem) {
  dns_.script("shop.example", {.addresses = {"127.0.0.1"}});
  open_with_names();
  testing_support::LoopbackServer other([](const auto&) { return reply(200); });
  EXPECT_EQ(outcome_of(to_name("shop.example")).kind, Outcome::Kind::ok);
  EXPECT_EQ(outcome_of(to_url(other.url())).kind, Outcome::Kind::ok);
  EXPECT_EQ(outcome_of(to_name("shop.example")).kind, Outcome::Kind::ok);
  EXPECT_EQ(server_->received_count(), 2U);
  EXPECT_EQ(other.received_count(), 1U) << "its URL has an address of its own";
}

TEST_F(HttpNames, ThatDoNotExistAreTriedAgainLater) {
  open_with_names();
  const Outcome outcome = outcome_of(to_name("nobody.example"));
  EXPECT_EQ(outcome.kind, Outcome::Kind::retry);
  EXPECT_EQ(outcome.code, "PROVIDER.UNAVAILABLE");
  EXPECT_NE(outcome.detail.find("was not sent"), std::string::npos) << outcome.detail;
}

TEST_F(HttpNames, WithOneForbiddenAddressAreTriedAgainLaterSoThatAMendedZoneHeals) {
  dns_.script("shop.example",
              {{.addresses = {"127.0.0.1", "169.254.169.254"}, .ttl_seconds = 0}, {.addresses = {"127.0.0.1"}}});
  open_with_names();
  const Outcome outcome = outcome_of(to_name("shop.example"));
  EXPECT_EQ(outcome.kind, Outcome::Kind::retry);
  EXPECT_EQ(outcome.code, "PROVIDER.UNAVAILABLE");
  EXPECT_EQ(outcome.detail.find("169.254"), std::string::npos) << "what a name leads to is not for everybody";
  EXPECT_EQ(server_->accepted_count(), 0U);
}

TEST_F(HttpNames, OfATenantMustNotLeadToThisMachine) {
  dns_.script("shop.example", {.addresses = {"127.0.0.1"}});
  server_ = std::make_unique<testing_support::LoopbackServer>([](const auto&) { return reply(200); });
  transport_ = value_of(new_http_transport({.tenant_ports = {server_->port()}, .dns_servers = {dns_.server()}}));
  EXPECT_EQ(outcome_of(for_tenant(to_name("shop.example"))).kind, Outcome::Kind::retry);
  EXPECT_EQ(server_->accepted_count(), 0U);
}

TEST_F(HttpNames, ThatNobodyAnswersForEndAtTheDeadline) {
  dns_.script("slow.example", {.manner = DnsReply::Manner::silent});
  open_with_names();
  const auto before = std::chrono::steady_clock::now();
  const Outcome outcome = outcome_of(to_url("http://slow.example/", 100ms));
  EXPECT_EQ(outcome.kind, Outcome::Kind::retry);
  EXPECT_LT(std::chrono::steady_clock::now() - before, 4s);
}

TEST_F(HttpNames, ThatAreBeingLookedUpAreForgottenAtStop) {
  dns_.script("slow.example", {.manner = DnsReply::Manner::silent});
  open_with_names();
  send(to_url("http://slow.example/"));
  ASSERT_TRUE(dns_.await_look_ups("slow.example", 1));
  const auto before = std::chrono::steady_clock::now();
  transport_->drain(inbox_, 20s);
  EXPECT_LT(std::chrono::steady_clock::now() - before, 5s);
  EXPECT_EQ(inbox_.size(), 0U);
}

}  // namespace
}  // namespace makegood::http
