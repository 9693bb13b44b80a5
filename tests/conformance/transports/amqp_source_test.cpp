// Taking in from a real RabbitMQ.
#include "makegood/brokers.hpp"
#include "tests/conformance/transports/amqp_server.hpp"
#include "tests/conformance/transports/source_suite.hpp"
#include "tests/support/value_of.hpp"

namespace makegood::conformance {
namespace {

using namespace std::chrono_literals;

class AmqpAsSource final : public SourceUnderTest {
 public:
  std::string scheme() const override { return "amqp"; }
  void make(const std::string& place) override {
    AmqpClient(server().process().port()).make_queue_of_one_consumer(place);
  }
  std::string settings(const std::string& place) const override {
    return encode(AmqpSourceSettings{.access = {.servers = {server().url()}}, .queue = place});
  }
  std::unique_ptr<Transport> transport() const override { return value_of(new_amqp_transport()); }
  DestinationPtr destination(const std::string& place) const override {
    const AmqpSettings settings{.access = {.servers = {server().url()}}, .routing_key = place};
    return std::make_shared<const Destination>(value_of(amqp_destination("source", settings)));
  }
  void kill() override { server().process().kill(); }
  void start() override { server().process().start(std::chrono::seconds(180)); }

 private:
  static AmqpServer& server() { return AmqpServer::shared(); }
};

std::unique_ptr<SourceUnderTest> amqp_as_source() {
  return AmqpServer::can_be_had() ? std::make_unique<AmqpAsSource>() : nullptr;
}

INSTANTIATE_TEST_SUITE_P(Amqp, SourceSuite,
                         testing::Values(SourceEntry{"amqp", amqp_as_source, std::string(no_rabbitmq)}));

TEST_P(SourceSuite, WhatAnAmqpReaderHasNotAcknowledgedComesAgainAndIsKnown) {
  publish(0, 5);
  std::vector<NewMessage> known;
  {
    const auto lost = open();
    const auto arrivals = value_of(read(*lost, 5));
    ASSERT_EQ(arrivals.size(), 5U) << "and nothing of it is acknowledged";
    for (std::size_t index = 0; index < 2; ++index) {
      known.push_back(value_of(message_of(arrivals[index], {.source = name_, .topic = {}, .tenant_id = {}})));
    }
  }
  const std::vector<SourceMove> moves = {{.partition = place_, .was = {}, .next = "2"}};
  ASSERT_TRUE(store_->take_in({.source = name_, .moves = moves, .messages = known}));
  const auto reading = consumer();
  ASSERT_TRUE(news_.await(SourceNews::Kind::taken, 3));
  ASSERT_TRUE(news_.await(SourceNews::Kind::repeated, 2));
  EXPECT_EQ(taken_in(), events(0, 5));
}

TEST_P(SourceSuite, AnAmqpReaderThatLosesItsConnectionWhileItAcknowledgesSaysSo) {
  publish(0, 3);
  const auto source = open();
  const auto arrivals = value_of(read(*source, 3));
  ASSERT_EQ(arrivals.size(), 3U);
  AmqpServer::shared().control({"close_all_connections", "by the test"});
  source->acknowledge({{place_, arrivals[2].next}});
  const auto next = source->poll({}, 200ms);
  ASSERT_FALSE(next) << "it must be begun anew";
  EXPECT_EQ(next.error().code, Errc::unavailable);
}

}  // namespace
}  // namespace makegood::conformance
