// NATS JetStream as the subject of the transport suite: a real server, a stream for destinations that take everything,
// and for the others somebody who answers in a stream's place.
#include <chrono>
#include <deque>
#include <map>
#include <mutex>
#include <thread>

#include "makegood/brokers.hpp"
#include "tests/conformance/transports/nats_server.hpp"
#include "tests/conformance/transports/transport_suite.hpp"
#include "tests/support/cutting_proxy.hpp"
#include "tests/support/value_of.hpp"

namespace makegood::conformance {
namespace {

using testing_support::CuttingProxy;
using testing_support::MessageTexts;
using testing_support::Way;

constexpr std::string_view stored_answer = R"({"stream":"puppet","seq":1})";

std::string answer_of(Behaviour::Kind kind) {
  if (kind == Behaviour::Kind::retry) return R"({"error":{"code":500,"err_code":10999,"description":"closed"}})";
  if (kind == Behaviour::Kind::busy) return R"({"error":{"code":503,"err_code":10039,"description":"busy"}})";
  return R"({"error":{"code":400,"err_code":10054,"description":"message size exceeds maximum allowed"}})";
}

std::string percent_decoded(const std::string& text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_encoded = text[i] == '%';
    decoded += is_encoded ? static_cast<char>(std::stoi(text.substr(i + 1, 2), nullptr, 16)) : text[i];
    if (is_encoded) i += 2;
  }
  return decoded;
}

/// The message as its receiver can read it.
Received received_from(natsMsg& message) {
  const auto header = [&](const std::string& name) { return percent_decoded(header_in(message, name)); };
  const std::string subject = natsMsg_GetSubject(&message);
  const std::string origin = header("x-origin");
  return {.destination = "nats:" + subject.substr(subject.find('.') + 1),
          .texts = {.event_id = header("event_id"),
                    .tenant_id = header("tenant_id"),
                    .topic = header("topic"),
                    .dispatch_key = header("dispatch_key"),
                    .content = std::string(natsMsg_GetData(&message),
                                           static_cast<std::size_t>(natsMsg_GetDataLength(&message))),
                    .content_type = header("content-type"),
                    .headers = origin.empty() ? std::string() : R"({"x-origin":")" + origin + R"("})",
                    .envelope_id = header("envelope_id"),
                    .traceparent = header("traceparent"),
                    .tracestate = header("tracestate")},
          .sequence = std::stol(header("sequence")),
          .attempt = static_cast<std::uint32_t>(std::stoul(header("attempt"))),
          .outbox = header("outbox")};
}

class NatsUnderTest final : public TransportUnderTest {
 public:
  NatsUnderTest()
      : client_(NatsServer::shared().url()),
        proxy_(NatsServer::shared().process().port()),
        transport_(value_of(new_nats_transport())) {
    client_.make_stream("stored", "stored.>");
    must(natsConnection_SubscribeSync(&stored_, client_.connection(), "stored.>"), "subscribe");
    natsSubscription_SetPendingLimits(stored_, -1, -1);
    must(natsConnection_SubscribeSync(&answered_, client_.connection(), "answered.>"), "subscribe");
    must(natsConnection_Flush(client_.connection()), "flush");
    puppet_ = std::jthread([this](const std::stop_token& stop) { answer_all(stop); });
  }
  ~NatsUnderTest() override {
    puppet_.request_stop();
    puppet_.join();
    natsSubscription_Destroy(answered_);
    natsSubscription_Destroy(stored_);
  }

  Transport& transport() override { return *transport_; }
  bool can_be(const Behaviour& behaviour) const override {
    return behaviour.kind != Behaviour::Kind::gone && behaviour.retry_after == Duration::zero();
  }
  DestinationPtr destination(const std::string& name, const Behaviour& behaviour, Duration timeout) override {
    const bool is_cut = behaviour.kind == Behaviour::Kind::crash;
    const bool is_stored = behaviour.kind == Behaviour::Kind::ok || is_cut;
    const std::lock_guard lock(mutex_);
    behaviours_["answered." + name] = behaviour.kind;
    if (is_cut) proxy_.cut_before(Way::to_client, "MSG _INBOX");
    return made(name, is_cut ? proxy_.port() : 0, (is_stored ? "stored." : "answered.") + name, timeout);
  }
  DestinationPtr nowhere() override {
    return made("nobody", testing_support::free_port(), "stored.nobody", std::chrono::seconds(30));
  }
  Outcome expected(const Behaviour& behaviour) override {
    switch (behaviour.kind) {
      case Behaviour::Kind::ok:
        return Outcome::ok();
      case Behaviour::Kind::fail:
        return Outcome::fail("NATS.10054");
      case Behaviour::Kind::retry:
        return Outcome::retry("NATS.10999");
      case Behaviour::Kind::busy:
        return Outcome::unreachable("PROVIDER.UNAVAILABLE");
      case Behaviour::Kind::crash:
        return Outcome::silent("PROVIDER.UNAVAILABLE");
      case Behaviour::Kind::hang:
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
    must(natsConnection_Flush(client_.connection()), "flush");  // What was stored before is here after it.
    const std::lock_guard lock(mutex_);
    natsMsg* message = nullptr;
    while (natsSubscription_NextMsg(&message, stored_, 1) == NATS_OK) {
      received_.push_back(received_from(*message));
      natsMsg_Destroy(message);
    }
    return received_;
  }
  void release() override {
    const std::lock_guard lock(mutex_);
    is_released_ = true;
    for (const std::string& inbox : hanging_) answer(inbox, stored_answer);
    hanging_.clear();
  }

 private:
  void answer_all(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      natsMsg* message = nullptr;
      if (natsSubscription_NextMsg(&message, answered_, 20) != NATS_OK) continue;
      arrived(*message);
      natsMsg_Destroy(message);
    }
  }
  void arrived(natsMsg& message) {
    const std::lock_guard lock(mutex_);
    received_.push_back(received_from(message));
    const Behaviour::Kind kind = behaviours_.at(natsMsg_GetSubject(&message));
    const bool hangs = kind == Behaviour::Kind::hang && !is_released_;
    if (hangs) return hanging_.push_back(natsMsg_GetReply(&message));
    answer(natsMsg_GetReply(&message), kind == Behaviour::Kind::hang ? std::string(stored_answer) : answer_of(kind));
  }
  void answer(const std::string& inbox, std::string_view text) const {
    natsConnection_Publish(client_.connection(), inbox.c_str(), text.data(), static_cast<int>(text.size()));
    natsConnection_FlushTimeout(client_.connection(), 0);
  }
  DestinationPtr made(const std::string& name, std::uint16_t port, const std::string& subject, Duration timeout) const {
    return std::make_shared<const Destination>(value_of(nats_destination(
        name, {.access = {.servers = {NatsServer::shared().url(port)}}, .subject = subject}, {.timeout = timeout})));
  }

  NatsClient client_;
  CuttingProxy proxy_;
  std::unique_ptr<Transport> transport_;
  natsSubscription* stored_ = nullptr;
  natsSubscription* answered_ = nullptr;

  // Guarded by mutex_.
  std::mutex mutex_;
  std::map<std::string, Behaviour::Kind> behaviours_;
  std::vector<Received> received_;
  std::deque<std::string> hanging_;
  bool is_released_ = false;

  std::jthread puppet_;
};

}  // namespace

INSTANTIATE_TEST_SUITE_P(Nats, TransportSuite,
                         testing::Values(TransportEntry{"nats",
                                                        []() -> std::unique_ptr<TransportUnderTest> {
                                                          if (!NatsServer::can_be_had()) return nullptr;
                                                          return std::make_unique<NatsUnderTest>();
                                                        },
                                                        std::string(no_nats)}));

}  // namespace makegood::conformance
