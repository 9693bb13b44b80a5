// Names that do not exist, take long, or lead where a message must not go.
#include "tests/integration/http_zoo/at_the_zoo.hpp"
#include "tests/integration/http_zoo/zoo_page.hpp"
#include "tests/support/dns_server.hpp"

namespace makegood {
namespace {

using testing_support::DnsReply;
using testing_support::DnsServer;
using Manner = DnsReply::Manner;

std::string text_of(const std::string& animal) { return animal + ".zoo.test"; }

/// A thousand addresses, of which the first is that of the zoo.
std::vector<std::string> a_thousand() {
  std::vector<std::string> addresses;
  for (int i = 0; i < 1000; ++i) {
    addresses.push_back("127.0." + std::to_string(i / 250) + "." + std::to_string(i % 250 + 1));
  }
  return addresses;
}

class Names : public AtTheZoo {
 protected:
  Names() {
    options.dns_servers = {dns_.server()};
    options.tenant_ports = {port_of_the_zoo()};
    dns_.script(text_of("dns-ok"), {.addresses = {"127.0.0.1"}});
    dns_.script(text_of("dns-nxdomain"), {.manner = Manner::no_such_name});
    dns_.script(text_of("dns-failing"), {.manner = Manner::server_failure});
    dns_.script(text_of("dns-empty"), DnsReply{});
    dns_.script(text_of("dns-silent"), {.manner = Manner::silent});
    dns_.script(text_of("dns-garbled"), {.manner = Manner::garbled});
    dns_.script(text_of("dns-slow"), {.addresses = {"127.0.0.1"}, .delay = 3s});
    dns_.script(text_of("dns-metadata"), {.addresses = {"169.254.169.254"}});
    dns_.script(text_of("dns-mixed"), {.addresses = {"127.0.0.1", "169.254.169.254"}});
    dns_.script(text_of("dns-thousand"), {.addresses = a_thousand()});
    dns_.script(text_of("dns-rebinding"), {{.addresses = {"127.0.0.1"}, .ttl_seconds = 0},  //
                                           {.addresses = {"169.254.169.254"}, .ttl_seconds = 0}});
  }

  static std::uint16_t port_of_the_zoo() {
    const std::string& url = zoo().url("ok");
    const std::size_t colon = url.rfind(':');
    return static_cast<std::uint16_t>(std::stoi(url.substr(colon + 1)));
  }
  /// The animal `ok`, but by a name.
  static DestinationPtr named(const std::string& animal, Duration timeout = patience) {
    return destination(animal, {.url = "http://" + text_of(animal) + ":" + std::to_string(port_of_the_zoo()) + "/"},
                       timeout);
  }
  static DestinationPtr of_a_tenant(const DestinationPtr& destination) {
    Destination changed = *destination;
    changed.tenant_id = "acme";
    return std::make_shared<const Destination>(changed);
  }

  DnsServer dns_;
};

TEST_F(Names, AreTreatedAsThePageSays) {
  std::vector<std::pair<PageRow, Ticket>> sent;
  for (const PageRow& row : rows_under("Names")) sent.emplace_back(row, send(named(row.animal)));
  EXPECT_GE(sent.size(), 11U);
  for (const auto& [row, ticket] : sent) {
    const Outcome outcome = outcome_of(ticket);
    EXPECT_EQ(to_string(outcome.kind), row.outcome) << row.animal << ": " << outcome;
    EXPECT_EQ(outcome.code, row.code) << row.animal << ": " << outcome;
  }
}

TEST_F(Names, ThatAreSlowHoldUpNobodyElse) {
  for (const char* animal : {"dns-silent", "dns-slow"}) send_many(named(animal, 3s), 20);
  expect_the_healthy_are_served_promptly();
  const auto before = std::chrono::steady_clock::now();
  EXPECT_EQ(outcome_of(send(named("dns-ok"))).kind, Kind::ok);
  EXPECT_LT(std::chrono::steady_clock::now() - before, 2500ms) << "it does not wait for those that are silent";
}

TEST_F(Names, AreLookedUpOnceForWhatIsSentTogether) {
  const auto tickets = send_many(named("dns-ok"), 20);
  for (const Outcome& outcome : outcomes_of(tickets)) EXPECT_EQ(outcome.kind, Kind::ok) << outcome;
  EXPECT_EQ(dns_.look_ups(text_of("dns-ok")), 1U);
}

TEST_F(Names, WithOneBadAddressAreNotConnectedToAtAll) {
  EXPECT_NE(outcome_of(send(named("dns-mixed"))).kind, Kind::ok);
  EXPECT_NE(outcome_of(send(named("dns-metadata"))).kind, Kind::ok);
  EXPECT_EQ(zoo().visits("ok").connections, 0U);
}

TEST_F(Names, OfATenantThatLeadToThisMachineAreNotConnectedTo) {
  const Outcome outcome = outcome_of(send(of_a_tenant(named("dns-ok"))));
  EXPECT_NE(outcome.kind, Kind::ok);
  EXPECT_NE(outcome.detail.find("tenant_networks"), std::string::npos) << "names the setting: " << outcome;
  EXPECT_EQ(zoo().visits("ok").connections, 0U);
}

TEST_F(Names, OfATenantAreAllowedByNetwork) {
  options.tenant_networks = {"127.0.0.1/32"};
  const Outcome outcome = outcome_of(send(of_a_tenant(named("dns-ok"))));
  EXPECT_EQ(outcome.kind, Kind::ok) << outcome;
}

TEST_F(Names, ThatRebindAreCheckedWheneverTheyAreLookedUpAgain) {
  const auto rebinding = named("dns-rebinding");
  EXPECT_EQ(outcome_of(send(rebinding)).kind, Kind::ok);
  EXPECT_EQ(dns_.look_ups(text_of("dns-rebinding")), 1U) << "what was checked is what was connected to";
  // The first answer is kept for a second; then the name leads elsewhere.
  const auto end = std::chrono::steady_clock::now() + 5s;
  Outcome outcome = Outcome::ok();
  while (outcome.kind == Kind::ok && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(50ms);
    outcome = outcome_of(send(rebinding));
  }
  EXPECT_NE(outcome.kind, Kind::ok);
  EXPECT_GE(dns_.look_ups(text_of("dns-rebinding")), 2U);
}

}  // namespace
}  // namespace makegood
