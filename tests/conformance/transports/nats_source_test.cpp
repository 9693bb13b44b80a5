// Taking in from a real NATS.
#include "makegood/brokers.hpp"
#include "tests/conformance/transports/nats_server.hpp"
#include "tests/conformance/transports/source_suite.hpp"
#include "tests/support/value_of.hpp"

namespace makegood::conformance {
namespace {

class NatsAsSource final : public SourceUnderTest {
 public:
  std::string scheme() const override { return "nats"; }
  void make(const std::string& place) override { NatsClient(server().url()).make_stream(place, place + ".>"); }
  std::string settings(const std::string& place) const override {
    return encode(NatsSourceSettings{.access = {.servers = {server().url()}}, .stream = place});
  }
  std::unique_ptr<Transport> transport() const override { return value_of(new_nats_transport()); }
  DestinationPtr destination(const std::string& place) const override {
    const NatsSettings settings{.access = {.servers = {server().url()}}, .subject = place + ".{topic}"};
    return std::make_shared<const Destination>(value_of(nats_destination("source", settings)));
  }
  std::string place_beyond() const override { return "1000"; }
  void kill() override { server().process().kill(); }
  void start() override { server().process().start(); }

 private:
  static NatsServer& server() { return NatsServer::shared(); }
};

std::unique_ptr<SourceUnderTest> nats_as_source() {
  return NatsServer::can_be_had() ? std::make_unique<NatsAsSource>() : nullptr;
}

INSTANTIATE_TEST_SUITE_P(Nats, SourceSuite, testing::Values(SourceEntry{"nats", nats_as_source, std::string(no_nats)}));

/// A stream that keeps so few that what comes next is removed before it was read.
TEST_P(SourceSuite, ANatsStreamThatForgotWhatWasNotReadIsToldOf) {
  publish(0, 5);
  const auto source = open();
  const auto arrivals = value_of(read(*source, 5));
  ASSERT_EQ(arrivals.size(), 5U);
  publish(5, 5);
  NatsClient(NatsServer::shared().url()).purge(place_);
  publish(10, 1);
  const auto again = open();
  const auto next = read(*again, 1, arrivals.back().next);
  ASSERT_FALSE(next);
  EXPECT_EQ(next.error().code, Errc::not_found);
}

}  // namespace
}  // namespace makegood::conformance
