// What only a broker can do wrong, and Redis in particular.
#include <gtest/gtest.h>

#include <cstdlib>

#include "makegood/brokers.hpp"
#include "tests/conformance/transports/broker_faults.hpp"
#include "tests/conformance/transports/redis_server.hpp"
#include "tests/support/cutting_proxy.hpp"
#include "tests/support/value_of.hpp"

namespace makegood::conformance {
namespace {

using namespace std::chrono_literals;
using testing_support::CuttingProxy;
using testing_support::Way;

class RedisFaults : public BrokerFaults {
 protected:
  void SetUp() override {
    if (!RedisServer::can_be_had()) GTEST_SKIP() << no_redis;
    transport_ = value_of(new_redis_transport());
  }
  static DestinationPtr destination(const std::string& url, RedisSettings settings = {}, Destination others = {}) {
    if (settings.stream.empty()) settings.stream = "faults";
    settings.access.servers = {url};
    return std::make_shared<const Destination>(value_of(redis_destination("faults", settings, std::move(others))));
  }
  static RedisClient emptied_client(RedisServer& server) {
    RedisClient client(server.process().port());
    client.ask({"FLUSHALL"});
    return client;
  }
};

TEST_F(RedisFaults, AServerThatIsKilledAndComesBackHasEachOnceAndInOrder) {
  RedisServer server;
  const auto to = destination(server.url(), {}, {.timeout = 2s});
  deliver_in_order_while_killing(server.process(), 400, to);
  EXPECT_EQ(RedisClient(server.process().port()).field_of_all("faults", "sequence"), numbers(400));
}

TEST_F(RedisFaults, ARepeatAfterALostAnswerIsStoredOnce) {
  RedisServer& server = RedisServer::shared();
  const RedisClient client = emptied_client(server);
  CuttingProxy proxy(server.process().port());
  const auto to = destination(server.url(proxy.port()));
  ASSERT_EQ(outcome_of(delivery(1, to)).kind, Outcome::Kind::ok);
  proxy.cut_before(Way::to_client, "*2\r\n:");
  EXPECT_EQ(outcome_of(delivery(2, to)).reach, Reach::silent);
  EXPECT_EQ(outcome_of(delivery(2, to)).kind, Outcome::Kind::ok);
  EXPECT_EQ(client.length_of("faults"), 2U);
}

TEST_F(RedisFaults, AReplayIsStoredAgainAndItsRepeatIsNot) {
  RedisServer& server = RedisServer::shared();
  const RedisClient client = emptied_client(server);
  CuttingProxy proxy(server.process().port());
  const auto to = destination(server.url(proxy.port()));
  ASSERT_EQ(outcome_of(delivery(1, to)).kind, Outcome::Kind::ok);
  Delivery replay = delivery(1, to);
  replay.replay = 7;
  proxy.cut_before(Way::to_client, "*2\r\n:");
  EXPECT_EQ(outcome_of(replay).reach, Reach::silent);
  EXPECT_EQ(outcome_of(replay).kind, Outcome::Kind::ok);
  EXPECT_EQ(client.length_of("faults"), 2U) << "the first delivery and the replay, each once";
}

TEST_F(RedisFaults, WhatSomebodyElseHasWrittenUnderItsIdIsNoSuccess) {
  RedisServer& server = RedisServer::shared();
  const RedisClient client = emptied_client(server);
  const auto to = destination(server.url());
  ASSERT_EQ(outcome_of(delivery(1, to)).kind, Outcome::Kind::ok);
  Delivery first = delivery(1, to);
  first.is_first = true;
  const Outcome refused = outcome_of(first);
  EXPECT_EQ(refused.kind, Outcome::Kind::fail);
  EXPECT_EQ(refused.code, "REDIS.DUPLICATE");
  EXPECT_NE(refused.detail.find("It was not stored"), std::string::npos) << refused.detail;
  EXPECT_EQ(outcome_of(delivery(1, to)).kind, Outcome::Kind::ok) << "an earlier attempt may have put it there";
}

TEST_F(RedisFaults, TheGuardLastsAsLongAsADeliveryMayBeRepeated) {
  RedisServer& server = RedisServer::shared();
  const RedisClient client = emptied_client(server);
  ASSERT_EQ(outcome_of(delivery(1, destination(server.url()))).kind, Outcome::Kind::ok);
  const auto left = client.ask({"PTTL", "{faults}:makegood:makegood_outbox/default/redis%3Afaults/event-1/"});
  EXPECT_GT(left->integer, std::chrono::milliseconds(72h).count());
}

TEST_F(RedisFaults, WithoutTheGuardARepeatIsStoredAgain) {
  RedisServer& server = RedisServer::shared();
  const RedisClient client = emptied_client(server);
  const auto to = destination(server.url(), {.repeat_guard = "off"});
  EXPECT_EQ(outcome_of(delivery(1, to)).kind, Outcome::Kind::ok);
  EXPECT_EQ(outcome_of(delivery(1, to)).kind, Outcome::Kind::ok);
  EXPECT_EQ(client.length_of("faults"), 2U);
}

TEST_F(RedisFaults, TheSameEventOfAnotherTenantIsAnotherMessage) {
  RedisServer& server = RedisServer::shared();
  const RedisClient client = emptied_client(server);
  const auto to = destination(server.url());
  EXPECT_EQ(outcome_of(delivery(1, to, {.tenant_id = "a"})).kind, Outcome::Kind::ok);
  EXPECT_EQ(outcome_of(delivery(1, to, {.tenant_id = "b"})).kind, Outcome::Kind::ok);
  EXPECT_EQ(client.length_of("faults"), 2U);
}

TEST_F(RedisFaults, AStreamIsCutToItsLengthOnlyIfAskedTo) {
  RedisServer& server = RedisServer::shared();
  const RedisClient client = emptied_client(server);
  const auto to = destination(server.url(), {.max_length = "10"});
  for (Ticket ticket = 1; ticket <= 300; ++ticket) send(delivery(ticket, to));
  ASSERT_TRUE(inbox_.await(300));
  EXPECT_LT(client.length_of("faults"), 300U);
}

TEST_F(RedisFaults, TooFewReplicasAreSilence) {
  const auto to = destination(RedisServer::shared().url(), {.replicas = "1"});
  const Outcome outcome = outcome_of(delivery(1, to));
  EXPECT_EQ(outcome.reach, Reach::silent);
  EXPECT_NE(outcome.detail.find("replicas"), std::string::npos) << outcome.detail;
}

TEST_F(RedisFaults, AScriptThatTheServerHasForgottenIsLoadedAgain) {
  RedisServer& server = RedisServer::shared();
  const RedisClient client = emptied_client(server);
  const auto to = destination(server.url());
  ASSERT_EQ(outcome_of(delivery(1, to)).kind, Outcome::Kind::ok);
  client.ask({"SCRIPT", "FLUSH"});
  deliver_in_order(2, 3, to);
  EXPECT_EQ(client.length_of("faults"), 3U);
}

TEST_F(RedisFaults, RefusedCredentialsAreTold) {
  RedisServer server({"--requirepass", "right"});
  ::setenv("MAKEGOOD_SECRET_REDIS", "wrong", 1);
  RedisSettings settings{.access = {.password = "env:MAKEGOOD_SECRET_REDIS"}};
  const Outcome refused = outcome_of(delivery(1, destination(server.url(), settings)));
  EXPECT_EQ(refused.reach, Reach::unreachable);
  EXPECT_NE(refused.detail.find("WRONGPASS"), std::string::npos) << refused.detail;
  EXPECT_EQ(refused.detail.find("wrong "), std::string::npos);
  ::setenv("MAKEGOOD_SECRET_REDIS_RIGHT", "right", 1);
  settings.access.password = "env:MAKEGOOD_SECRET_REDIS_RIGHT";
  settings.access.username = "default";
  EXPECT_EQ(outcome_of(delivery(2, destination(server.url(), settings))).kind, Outcome::Kind::ok);
}

TEST_F(RedisFaults, OnlyAServerThatProvesWhoItIsIsSpokenTo) {
  const OwnCertificate own;
  const OwnCertificate another;
  const std::string port = std::to_string(testing_support::free_port());
  const RedisServer server({"--tls-port", port, "--tls-cert-file", own.certificate(), "--tls-key-file", own.key(),
                            "--tls-ca-cert-file", own.certificate(), "--tls-auth-clients", "no"});
  const std::string url = "rediss://127.0.0.1:" + port;
  const Outcome unknown = outcome_of(delivery(1, destination(url, {.access = {.ca_file = another.certificate()}})));
  EXPECT_EQ(unknown.reach, Reach::unreachable);
  EXPECT_NE(unknown.detail.find("certificate is not accepted"), std::string::npos) << unknown.detail;
  const auto known = destination(url, {.access = {.ca_file = own.certificate()}});
  for (Ticket ticket = 2; ticket < 50; ++ticket) {
    send(delivery(ticket, known, {.content = std::string(100'000, 'x')}));
  }
  ASSERT_TRUE(inbox_.await(49));
  EXPECT_EQ(inbox_.all().back().outcome.kind, Outcome::Kind::ok) << inbox_.all().back().outcome.detail;
}

TEST_F(RedisFaults, AFullServerKillsNothing) {
  RedisServer server({"--maxmemory", "1mb"});
  const auto to = destination(server.url());
  Outcome outcome = Outcome::ok();
  for (Ticket ticket = 1; ticket < 50 && outcome.kind == Outcome::Kind::ok; ++ticket) {
    outcome = outcome_of(delivery(ticket, to, {.content = std::string(100'000, 'x')}));
  }
  EXPECT_EQ(outcome.reach, Reach::unreachable);
  EXPECT_NE(outcome.detail.find("OOM"), std::string::npos) << outcome.detail;
}

TEST_F(RedisFaults, TheTestOfADestinationNamesWhatTheServerMayLose) {
  RedisServer server({"--maxmemory-policy", "allkeys-lru", "--appendfsync", "everysec"});
  const Outcome outcome = outcome_of(delivery(1, destination(server.url()), {.topic = "makegood.test"}));
  EXPECT_EQ(outcome.kind, Outcome::Kind::ok);
  EXPECT_NE(outcome.detail.find("allkeys-lru"), std::string::npos) << outcome.detail;
  EXPECT_NE(outcome.detail.find("appendfsync is everysec"), std::string::npos) << outcome.detail;
}

TEST_F(RedisFaults, AnOwnerWhoseLeaseEndsSendsNothingThatHadStayedBehind) {
  RedisServer& server = RedisServer::shared();
  const RedisClient client = emptied_client(server);
  CuttingProxy proxy(server.process().port());
  const std::size_t silent = silent_after_a_frozen_owner(proxy, destination(server.url(proxy.port())));
  EXPECT_LE(client.length_of("faults"), 1 + silent);
}

TEST_F(RedisFaults, WhereverTheConnectionIsLostEachIsStoredOnceAndInOrder) {
  RedisServer& server = RedisServer::shared();
  const RedisClient client = emptied_client(server);
  CuttingProxy proxy(server.process().port());
  deliver_in_order_while_cutting(proxy, 100, destination(server.url(proxy.port())));
  EXPECT_EQ(client.field_of_all("faults", "sequence"), numbers(100));
}

TEST_F(RedisFaults, AServerThatStandsStillIsWaitedForAndHasEachOnce) {
  RedisServer server;
  deliver_in_order_while_freezing(server.process(), 20, destination(server.url(), {}, {.timeout = 1s}));
  EXPECT_EQ(RedisClient(server.process().port()).field_of_all("faults", "sequence"), numbers(20));
}

}  // namespace
}  // namespace makegood::conformance
