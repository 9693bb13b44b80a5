// Redis Streams as the subject of the transport suite: a real server, and proxies in front of it for destinations that
// hang or break down.
#include <chrono>
#include <list>
#include <set>
#include <thread>

#include "makegood/brokers.hpp"
#include "tests/conformance/transports/redis_server.hpp"
#include "tests/conformance/transports/transport_suite.hpp"
#include "tests/support/cutting_proxy.hpp"
#include "tests/support/value_of.hpp"

namespace makegood::conformance {
namespace {

using testing_support::CuttingProxy;
using testing_support::MessageTexts;
using testing_support::Way;

/// How the answer to an entry begins, and no other answer.
const std::string entry_answer = "*2\r\n:";

Received received_from(const std::string& stream, const redisReply& entry) {
  const auto field = [&](const std::string& name) { return field_in(entry, name); };
  const std::string origin = field("x-origin");
  return {.destination = "redis:" + stream,
          .texts = {.event_id = field("event_id"),
                    .tenant_id = field("tenant_id"),
                    .topic = field("topic"),
                    .dispatch_key = field("dispatch_key"),
                    .content = field("data"),
                    .content_type = field("content-type"),
                    .headers = origin.empty() ? std::string() : R"({"x-origin":")" + origin + R"("})",
                    .envelope_id = field("envelope_id"),
                    .traceparent = field("traceparent"),
                    .tracestate = field("tracestate")},
          .sequence = std::stol(field("sequence")),
          .attempt = static_cast<std::uint32_t>(std::stoul(field("attempt"))),
          .outbox = field("outbox")};
}

class RedisUnderTest final : public TransportUnderTest {
 public:
  RedisUnderTest() : client_(RedisServer::shared().process().port()), transport_(value_of(new_redis_transport())) {
    client_.ask({"FLUSHALL"});
  }

  Transport& transport() override { return *transport_; }
  /// The server's own refusals are either for now or a mistake in the set-up.
  bool can_be(const Behaviour& behaviour) const override {
    return behaviour.kind != Behaviour::Kind::gone && behaviour.kind != Behaviour::Kind::fail &&
           behaviour.kind != Behaviour::Kind::retry && behaviour.retry_after == Duration::zero();
  }
  DestinationPtr destination(const std::string& name, const Behaviour& behaviour, Duration timeout) override {
    std::uint16_t port = 0;
    const bool hangs = behaviour.kind == Behaviour::Kind::hang;
    if (hangs || behaviour.kind == Behaviour::Kind::crash) {
      CuttingProxy& proxy = proxies_.emplace_back(RedisServer::shared().process().port());
      port = proxy.port();
      if (hangs) proxy.hold_before(Way::to_client, entry_answer);
      if (!hangs) proxy.cut_before(Way::to_client, entry_answer);
    }
    if (behaviour.kind == Behaviour::Kind::busy) client_.ask({"SET", name, "no stream"});
    if (behaviour.kind != Behaviour::Kind::busy) streams_.insert(name);
    return made(name, port, timeout);
  }
  DestinationPtr nowhere() override { return made("nobody", testing_support::free_port(), std::chrono::seconds(30)); }
  Outcome expected(const Behaviour& behaviour) override {
    switch (behaviour.kind) {
      case Behaviour::Kind::ok:
        return Outcome::ok();
      case Behaviour::Kind::busy:
        return Outcome::unreachable("PROVIDER.UNAVAILABLE");
      case Behaviour::Kind::crash:
        return Outcome::silent("PROVIDER.UNAVAILABLE");
      case Behaviour::Kind::hang:
      case Behaviour::Kind::fail:
      case Behaviour::Kind::retry:
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
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    return true;
  }
  std::vector<Received> received() override {
    std::vector<Received> all;
    for (const std::string& stream : streams_) {
      const auto entries = client_.ask({"XRANGE", stream, "-", "+"});
      for (std::size_t i = 0; i < entries->elements; ++i) all.push_back(received_from(stream, *entries->element[i]));
    }
    return all;
  }
  void release() override {
    for (CuttingProxy& proxy : proxies_) proxy.release();
  }

 private:
  DestinationPtr made(const std::string& name, std::uint16_t port, Duration timeout) const {
    return std::make_shared<const Destination>(value_of(redis_destination(
        name,
        {.access = {.servers = {RedisServer::shared().url(port)}}, .stream = "{destination}", .repeat_guard = "off"},
        {.timeout = timeout})));
  }

  RedisClient client_;
  std::list<CuttingProxy> proxies_;
  std::set<std::string> streams_;
  std::unique_ptr<Transport> transport_;
};

}  // namespace

INSTANTIATE_TEST_SUITE_P(Redis, TransportSuite,
                         testing::Values(TransportEntry{"redis",
                                                        []() -> std::unique_ptr<TransportUnderTest> {
                                                          if (!RedisServer::can_be_had()) return nullptr;
                                                          return std::make_unique<RedisUnderTest>();
                                                        },
                                                        std::string(no_redis)}));

}  // namespace makegood::conformance
