// AMQP 0.9.1 as the subject of the transport suite: RabbitMQ, queues that refuse, and proxies in front of it for
// destinations that hang or break down.
#include <chrono>
#include <list>
#include <set>
#include <thread>

#include "makegood/brokers.hpp"
#include "tests/conformance/transports/amqp_server.hpp"
#include "tests/conformance/transports/transport_suite.hpp"
#include "tests/support/cutting_proxy.hpp"
#include "tests/support/value_of.hpp"

namespace makegood::conformance {
namespace {

using testing_support::CuttingProxy;
using testing_support::MessageTexts;
using testing_support::Way;

/// basic.ack in a frame of channel 1.
const std::string ack_frame("\x01\x00\x01\x00\x00\x00\x0D\x00\x3C\x00\x50", 11);

Received received_from(const std::string& queue, const AmqpMessage& message) {
  const auto header = [&](const std::string& name) {
    const auto found = message.headers.find(name);
    return found == message.headers.end() ? std::string() : found->second;
  };
  const std::string origin = header("x-origin");
  return {.destination = "amqp:" + queue,
          .texts = {.event_id = message.message_id,
                    .tenant_id = header("tenant_id"),
                    .topic = header("topic"),
                    .dispatch_key = header("dispatch_key"),
                    .content = message.content,
                    .content_type = message.content_type,
                    .headers = origin.empty() ? std::string() : R"({"x-origin":")" + origin + R"("})",
                    .envelope_id = header("envelope_id"),
                    .traceparent = header("traceparent"),
                    .tracestate = header("tracestate")},
          .sequence = std::stol(header("sequence")),
          .attempt = static_cast<std::uint32_t>(std::stoul(header("attempt"))),
          .outbox = header("outbox")};
}

class AmqpUnderTest final : public TransportUnderTest {
 public:
  AmqpUnderTest() : client_(AmqpServer::shared().process().port()), transport_(value_of(new_amqp_transport())) {}

  Transport& transport() override { return *transport_; }
  bool can_be(const Behaviour& behaviour) const override {
    return behaviour.kind != Behaviour::Kind::gone && behaviour.kind != Behaviour::Kind::fail &&
           behaviour.retry_after == Duration::zero();
  }
  DestinationPtr destination(const std::string& name, const Behaviour& behaviour, Duration timeout) override {
    std::uint16_t port = 0;
    const bool hangs = behaviour.kind == Behaviour::Kind::hang;
    if (hangs || behaviour.kind == Behaviour::Kind::crash) {
      CuttingProxy& proxy = proxies_.emplace_back(AmqpServer::shared().process().port());
      port = proxy.port();
      if (hangs) proxy.hold_before(Way::to_client, ack_frame);
      if (!hangs) proxy.cut_before(Way::to_client, ack_frame);
    }
    const bool has_queue = behaviour.kind != Behaviour::Kind::busy;
    const bool is_full = behaviour.kind == Behaviour::Kind::retry;
    if (has_queue) client_.make_queue(name, is_full ? std::optional(0) : std::nullopt);
    if (has_queue) queues_.insert(name);
    if (!has_queue) client_.remove_queue(name);
    return made(name, port, timeout);
  }
  DestinationPtr nowhere() override { return made("nobody", testing_support::free_port(), std::chrono::seconds(30)); }
  Outcome expected(const Behaviour& behaviour) override {
    switch (behaviour.kind) {
      case Behaviour::Kind::ok:
        return Outcome::ok();
      case Behaviour::Kind::retry:
        return Outcome::retry("AMQP.NACK");
      case Behaviour::Kind::busy:
        return Outcome::unreachable("PROVIDER.UNAVAILABLE");
      case Behaviour::Kind::crash:
        return Outcome::silent("PROVIDER.UNAVAILABLE");
      case Behaviour::Kind::hang:
      case Behaviour::Kind::fail:
      case Behaviour::Kind::gone:
        return Outcome::silent("TX.TIMEOUT");
    }
    std::unreachable();
  }
  Outcome expected_nowhere() override { return Outcome::unreachable("PROVIDER.UNAVAILABLE"); }
  MessageTexts as_received(MessageTexts texts) override { return texts; }
  bool await_received(std::size_t count) override {
    const auto end = std::chrono::steady_clock::now() + testing_support::patience_max;
    while (received().size() < count) {
      if (std::chrono::steady_clock::now() > end) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return true;
  }
  std::vector<Received> received() override {
    for (const std::string& queue : queues_) {
      while (const auto message = client_.take(queue)) received_.push_back(received_from(queue, *message));
    }
    return received_;
  }
  void release() override {
    for (CuttingProxy& proxy : proxies_) proxy.release();
  }

 private:
  DestinationPtr made(const std::string& name, std::uint16_t port, Duration timeout) const {
    return std::make_shared<const Destination>(value_of(amqp_destination(
        name, {.access = {.servers = {AmqpServer::shared().url(port)}}, .routing_key = "{destination}"},
        {.timeout = timeout})));
  }

  AmqpClient client_;
  std::list<CuttingProxy> proxies_;
  std::set<std::string> queues_;
  std::vector<Received> received_;
  std::unique_ptr<Transport> transport_;
};

}  // namespace

INSTANTIATE_TEST_SUITE_P(Amqp, TransportSuite,
                         testing::Values(TransportEntry{"amqp",
                                                        []() -> std::unique_ptr<TransportUnderTest> {
                                                          if (!AmqpServer::can_be_had()) return nullptr;
                                                          return std::make_unique<AmqpUnderTest>();
                                                        },
                                                        std::string(no_rabbitmq)}));

}  // namespace makegood::conformance
