// What only a broker can do wrong, and RabbitMQ in particular. One server for all: it takes long to start.
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

#include "makegood/brokers.hpp"
#include "tests/conformance/transports/amqp_server.hpp"
#include "tests/conformance/transports/broker_faults.hpp"
#include "tests/support/value_of.hpp"

namespace makegood::conformance {
namespace {

using namespace std::chrono_literals;
using testing_support::CuttingProxy;

class AmqpFaults : public BrokerFaults {
 protected:
  void SetUp() override {
    if (!AmqpServer::can_be_had()) GTEST_SKIP() << no_rabbitmq;
    transport_ = value_of(new_amqp_transport());
  }
  static std::uint16_t port() { return AmqpServer::shared().process().port(); }
  static DestinationPtr destination(AmqpSettings settings = {}, Destination others = {}) {
    if (settings.routing_key.empty()) settings.routing_key = "faults";
    if (settings.access.servers.empty()) settings.access.servers = {AmqpServer::shared().url()};
    return std::make_shared<const Destination>(value_of(amqp_destination("faults", settings, std::move(others))));
  }
  /// Their first appearances, in order: a repeat after a lost confirm is in the queue twice.
  static std::vector<std::string> first_sequences(AmqpClient& client) { return firsts(all_sequences(client)); }
  static std::vector<std::string> all_sequences(AmqpClient& client) {
    std::vector<std::string> order;
    while (const auto message = client.take("faults")) order.push_back(message->headers.at("sequence"));
    return order;
  }
  static std::vector<std::string> firsts(std::vector<std::string> order) {
    std::set<std::string> seen;
    std::erase_if(order, [&](const std::string& number) { return !seen.insert(number).second; });
    return order;
  }
  static DestinationPtr behind(const CuttingProxy& proxy) {
    return destination({.access = {.servers = {AmqpServer::shared().url(proxy.port())}}});
  }
};

TEST_F(AmqpFaults, WhatArrivesIsPersistentAndIsAnEvent) {
  AmqpClient client(port());
  client.make_queue("faults");
  ASSERT_EQ(outcome_of(delivery(1, destination())).kind, Outcome::Kind::ok);
  const AmqpMessage message = client.take("faults").value();
  EXPECT_EQ(message.delivery_mode, 2);
  EXPECT_EQ(message.message_id, "event-1");
  EXPECT_EQ(message.headers.at("cloudEvents_id"), "event-1");
  EXPECT_EQ(message.headers.at("cloudEvents_type"), "order.created");
}

TEST_F(AmqpFaults, WhatNoQueueGetsIsToldWithItsReasonAndTheOthersGoOn) {
  AmqpClient client(port());
  client.make_queue("faults");
  const auto to = destination({.routing_key = "{topic}"});
  const Outcome returned = outcome_of(delivery(1, to, {.topic = "nobody"}));
  EXPECT_EQ(returned.reach, Reach::unreachable);
  EXPECT_NE(returned.detail.find("312 NO_ROUTE"), std::string::npos) << returned.detail;
  EXPECT_EQ(outcome_of(delivery(2, to, {.topic = "faults"})).kind, Outcome::Kind::ok);
}

TEST_F(AmqpFaults, AnExchangeThatIsMissingKillsNothingAndTheOthersGoOn) {
  AmqpClient client(port());
  client.make_queue("faults");
  const Outcome missing = outcome_of(delivery(1, destination({.exchange = "nobody"})));
  EXPECT_EQ(missing.reach, Reach::silent);
  EXPECT_NE(missing.detail.find("404 NOT_FOUND"), std::string::npos) << missing.detail;
  EXPECT_EQ(outcome_of(delivery(2, destination())).kind, Outcome::Kind::ok);
}

TEST_F(AmqpFaults, RefusedCredentialsAreTold) {
  ::setenv("MAKEGOOD_SECRET_AMQP", "wrong", 1);
  const auto to = destination({.access = {.username = "guest", .password = "env:MAKEGOOD_SECRET_AMQP"}});
  const Outcome refused = outcome_of(delivery(1, to));
  EXPECT_EQ(refused.reach, Reach::unreachable);
  EXPECT_NE(refused.detail.find("403 ACCESS_REFUSED"), std::string::npos) << refused.detail;
  EXPECT_EQ(refused.detail.find("wrong"), std::string::npos);
}

TEST_F(AmqpFaults, AServerThatTakesNothingIsNotReached) {
  AmqpClient client(port());
  client.make_queue("faults");
  ASSERT_EQ(outcome_of(delivery(1, destination())).kind, Outcome::Kind::ok);
  AmqpServer::shared().control({"set_vm_memory_high_watermark", "0"});
  Outcome blocked = Outcome::ok();
  for (Ticket ticket = 2; blocked.kind == Outcome::Kind::ok && ticket < 2000; ++ticket) {
    blocked = outcome_of(delivery(ticket, destination({}, {.timeout = 500ms})));
  }
  const Outcome refused = outcome_of(delivery(5000, destination({}, {.timeout = 500ms})));
  AmqpServer::shared().control({"set_vm_memory_high_watermark", "0.4"});
  EXPECT_EQ(refused.reach, Reach::unreachable);
  EXPECT_NE(refused.detail.find("takes nothing for now"), std::string::npos) << refused.detail;
  deliver_in_order(5001, 5001, destination());
}

TEST_F(AmqpFaults, WhatIsTooLargeFailsAloneAndTheOthersGoOn) {
  AmqpClient client(port());
  client.make_queue("faults");
  const Outcome refused = outcome_of(delivery(1, destination(), {.content = std::string(message_bytes_max + 1, 'x')}));
  EXPECT_EQ(refused.kind, Outcome::Kind::fail);
  EXPECT_EQ(refused.code, "AMQP.406");
  deliver_in_order(2, 3, destination());
  EXPECT_EQ(all_sequences(client), (std::vector<std::string>{"2", "3"}));
}

TEST_F(AmqpFaults, AnOwnerWhoseLeaseEndsSendsNothingThatHadStayedBehind) {
  AmqpClient client(port());
  client.make_queue("faults");
  CuttingProxy proxy(port());
  const std::size_t silent = silent_after_a_frozen_owner(proxy, behind(proxy));
  EXPECT_LE(all_sequences(client).size(), 1 + silent);
}

TEST_F(AmqpFaults, WhereverTheConnectionIsLostAllArriveInOrderAndOnlyWhatIsNotKnownTwice) {
  AmqpClient client(port());
  client.make_queue("faults");
  CuttingProxy proxy(port());
  deliver_in_order_while_cutting(proxy, 100, behind(proxy));
  const auto all = all_sequences(client);
  EXPECT_EQ(firsts(all), numbers(100));
  EXPECT_LE(all.size(), stored_at_most());
}

TEST_F(AmqpFaults, AServerThatStandsStillIsWaitedForAndHasAllInOrder) {
  AmqpClient client(port());
  client.make_queue("faults");
  deliver_in_order_while_freezing(AmqpServer::shared().process(), 20, destination({}, {.timeout = 1s}));
  const auto all = all_sequences(client);
  EXPECT_EQ(firsts(all), numbers(20));
  EXPECT_LE(all.size(), stored_at_most());
}

TEST_F(AmqpFaults, AServerThatIsKilledAndComesBackHasAllInOrder) {
  {
    AmqpClient client(port());
    client.make_queue("faults");
  }
  deliver_in_order_while_killing(AmqpServer::shared().process(), 200, destination({}, {.timeout = 5s}));
  AmqpClient client(port());
  EXPECT_EQ(first_sequences(client), numbers(200));
}

}  // namespace
}  // namespace makegood::conformance
