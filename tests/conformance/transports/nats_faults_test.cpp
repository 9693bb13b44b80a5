// What only a broker can do wrong, and NATS in particular.
#include <gtest/gtest.h>

#include <cstdlib>
#include <thread>

#include "makegood/brokers.hpp"
#include "tests/conformance/transports/broker_faults.hpp"
#include "tests/conformance/transports/nats_server.hpp"
#include "tests/support/cutting_proxy.hpp"
#include "tests/support/value_of.hpp"

namespace makegood::conformance {
namespace {

using namespace std::chrono_literals;
using testing_support::CuttingProxy;
using testing_support::Way;

class NatsFaults : public BrokerFaults {
 protected:
  void SetUp() override {
    if (!NatsServer::can_be_had()) GTEST_SKIP() << no_nats;
    transport_ = value_of(new_nats_transport());
  }

  static DestinationPtr destination(const std::string& url, NatsSettings settings = {}, Destination others = {}) {
    if (settings.subject.empty()) settings.subject = "faults.{topic}";
    settings.access.servers = {url};
    return std::make_shared<const Destination>(value_of(nats_destination("faults", settings, std::move(others))));
  }
};

TEST_F(NatsFaults, AServerThatIsKilledAndComesBackHasEachOnceAndInOrder) {
  NatsServer server;
  NatsClient(server.url()).make_stream("faults", "faults.>");
  const auto to = destination(server.url(), {}, {.timeout = 2s});
  deliver_in_order_while_killing(server.process(), 400, to);
  EXPECT_EQ(NatsClient(server.url()).header_of_all("faults", "sequence"), numbers(400));
}

TEST_F(NatsFaults, ARepeatAfterALostAnswerIsStoredOnce) {
  NatsServer& server = NatsServer::shared();
  const NatsClient client(server.url());
  client.make_stream("faults", "faults.>");
  CuttingProxy proxy(server.process().port());
  const auto to = destination(server.url(proxy.port()));
  ASSERT_EQ(outcome_of(delivery(1, to)).kind, Outcome::Kind::ok);
  proxy.cut_before(Way::to_client, "MSG _INBOX");
  const Outcome lost = outcome_of(delivery(2, to));
  EXPECT_EQ(lost.reach, Reach::silent);
  EXPECT_EQ(outcome_of(delivery(2, to)).kind, Outcome::Kind::ok);
  EXPECT_EQ(client.messages_in("faults"), 2U);
}

TEST_F(NatsFaults, AReplayIsStoredAgainAndItsRepeatIsNot) {
  NatsServer& server = NatsServer::shared();
  const NatsClient client(server.url());
  client.make_stream("faults", "faults.>");
  CuttingProxy proxy(server.process().port());
  const auto to = destination(server.url(proxy.port()));
  ASSERT_EQ(outcome_of(delivery(1, to)).kind, Outcome::Kind::ok);
  Delivery replay = delivery(1, to);
  replay.replay = 7;
  proxy.cut_before(Way::to_client, "MSG _INBOX");
  EXPECT_EQ(outcome_of(replay).reach, Reach::silent);
  EXPECT_EQ(outcome_of(replay).kind, Outcome::Kind::ok);
  EXPECT_EQ(client.messages_in("faults"), 2U) << "the first delivery and the replay, each once";
}

TEST_F(NatsFaults, WhatSomebodyElseHasWrittenUnderItsIdIsNoSuccess) {
  NatsServer& server = NatsServer::shared();
  const NatsClient client(server.url());
  client.make_stream("faults", "faults.>");
  const auto to = destination(server.url());
  ASSERT_EQ(outcome_of(delivery(1, to)).kind, Outcome::Kind::ok);
  Delivery first = delivery(1, to);
  first.is_first = true;
  const Outcome refused = outcome_of(first);
  EXPECT_EQ(refused.kind, Outcome::Kind::fail);
  EXPECT_EQ(refused.code, "NATS.DUPLICATE");
  EXPECT_NE(refused.detail.find("It was not stored"), std::string::npos) << refused.detail;
  EXPECT_EQ(outcome_of(delivery(1, to)).kind, Outcome::Kind::ok) << "an earlier attempt may have put it there";
}

TEST_F(NatsFaults, TheSameEventOfAnotherTenantIsAnotherMessage) {
  NatsServer& server = NatsServer::shared();
  const NatsClient client(server.url());
  client.make_stream("faults", "faults.>");
  const auto to = destination(server.url());
  EXPECT_EQ(outcome_of(delivery(1, to, {.tenant_id = "a"})).kind, Outcome::Kind::ok);
  EXPECT_EQ(outcome_of(delivery(1, to, {.tenant_id = "b"})).kind, Outcome::Kind::ok);
  EXPECT_EQ(client.messages_in("faults"), 2U);
}

TEST_F(NatsFaults, NothingDiesOfAStreamThatIsMissing) {
  const auto to = destination(NatsServer::shared().url(), {.subject = "nobody.{topic}"});
  const Outcome outcome = outcome_of(delivery(1, to));
  EXPECT_EQ(outcome.reach, Reach::unreachable);
  EXPECT_NE(outcome.detail.find("No stream takes the subject nobody.order.created"), std::string::npos)
      << outcome.detail;
}

TEST_F(NatsFaults, WhatIsTooLargeFailsAloneAndTheConnectionGoesOn) {
  const NatsClient client(NatsServer::shared().url());
  client.make_stream("faults", "faults.>", 100'000);
  const auto to = destination(NatsServer::shared().url());
  const Outcome for_server = outcome_of(delivery(1, to, {.content = std::string(2 << 20, 'x')}));
  EXPECT_EQ(for_server.kind, Outcome::Kind::fail);
  EXPECT_EQ(for_server.code, "TX.PAYLOAD_TOO_LARGE");
  const Outcome for_stream = outcome_of(delivery(2, to, {.content = std::string(200'000, 'x')}));
  EXPECT_EQ(for_stream.kind, Outcome::Kind::fail);
  EXPECT_EQ(for_stream.code, "NATS.10054");
  EXPECT_EQ(outcome_of(delivery(3, to)).kind, Outcome::Kind::ok);
}

TEST_F(NatsFaults, ASubjectThatNobodyCanPublishToIsRefusedHere) {
  const auto to = destination(NatsServer::shared().url());
  const Outcome outcome = outcome_of(delivery(1, to, {.topic = "a b"}));
  EXPECT_EQ(outcome.kind, Outcome::Kind::fail);
}

TEST_F(NatsFaults, RefusedCredentialsAreTold) {
  NatsServer server("authorization { user: shop, password: right }");
  ::setenv("MAKEGOOD_SECRET_NATS", "wrong", 1);
  const NatsSettings settings{.access = {.username = "shop", .password = "env:MAKEGOOD_SECRET_NATS"}};
  const Outcome refused = outcome_of(delivery(1, destination(server.url(), settings)));
  EXPECT_EQ(refused.reach, Reach::unreachable);
  EXPECT_NE(refused.detail.find("Authorization Violation"), std::string::npos) << refused.detail;
  EXPECT_EQ(refused.detail.find("wrong"), std::string::npos);
}

TEST_F(NatsFaults, AUserWithAKeyIsLetIn) {
  NatsServer server(
      R"(authorization { users: [ { nkey: UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4 } ] })");
  ::setenv("MAKEGOOD_SECRET_NATS_KEY", "SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY", 1);
  const auto to = destination(server.url(), {.user_key = "env:MAKEGOOD_SECRET_NATS_KEY"});
  const Outcome outcome = outcome_of(delivery(1, to));
  EXPECT_NE(outcome.detail.find("No stream takes"), std::string::npos) << outcome.detail;
}

TEST_F(NatsFaults, OnlyAServerThatProvesWhoItIsIsSpokenTo) {
  const OwnCertificate own;
  const OwnCertificate another;
  NatsServer server("tls { cert_file: \"" + own.certificate() + "\", key_file: \"" + own.key() + "\" }");
  const std::string url = "tls" + server.url().substr(4);
  const Outcome unknown = outcome_of(delivery(1, destination(url, {.access = {.ca_file = another.certificate()}})));
  EXPECT_EQ(unknown.reach, Reach::unreachable);
  EXPECT_NE(unknown.detail.find("certificate is not accepted"), std::string::npos) << unknown.detail;
  const Outcome known = outcome_of(delivery(2, destination(url, {.access = {.ca_file = own.certificate()}})));
  EXPECT_NE(known.detail.find("No stream takes"), std::string::npos) << known.detail;
}

TEST_F(NatsFaults, WhatIsNotAllowedToBePublishedIsToldAtOnce) {
  NatsServer server(R"(authorization { users: [ { user: shop, password: right,
      permissions: { publish: "allowed.>", subscribe: ">" } } ] })");
  ::setenv("MAKEGOOD_SECRET_NATS", "right", 1);
  const NatsSettings settings{.access = {.username = "shop", .password = "env:MAKEGOOD_SECRET_NATS"}};
  const Outcome refused = outcome_of(delivery(1, destination(server.url(), settings)));
  EXPECT_EQ(refused.reach, Reach::unreachable);
  EXPECT_NE(refused.detail.find("does not let us publish"), std::string::npos) << refused.detail;
}

TEST_F(NatsFaults, AnOwnerWhoseLeaseEndsSendsNothingThatHadStayedBehind) {
  NatsServer& server = NatsServer::shared();
  const NatsClient client(server.url());
  client.make_stream("faults", "faults.>");
  CuttingProxy proxy(server.process().port());
  const std::size_t silent = silent_after_a_frozen_owner(proxy, destination(server.url(proxy.port())));
  EXPECT_LE(client.messages_in("faults"), 1 + silent);
}

TEST_F(NatsFaults, WhereverTheConnectionIsLostEachIsStoredOnceAndInOrder) {
  NatsServer& server = NatsServer::shared();
  const NatsClient client(server.url());
  client.make_stream("faults", "faults.>");
  CuttingProxy proxy(server.process().port());
  deliver_in_order_while_cutting(proxy, 100, destination(server.url(proxy.port())));
  EXPECT_EQ(client.header_of_all("faults", "sequence"), numbers(100));
}

TEST_F(NatsFaults, AServerThatStandsStillIsWaitedForAndHasEachOnce) {
  NatsServer server;
  NatsClient(server.url()).make_stream("faults", "faults.>");
  deliver_in_order_while_freezing(server.process(), 20, destination(server.url(), {}, {.timeout = 1s}));
  EXPECT_EQ(NatsClient(server.url()).header_of_all("faults", "sequence"), numbers(20));
}

}  // namespace
}  // namespace makegood::conformance
