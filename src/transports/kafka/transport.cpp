// The transport `kafka`: a channel for each destination.
#include <fmt/format.h>

#include <algorithm>
#include <future>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "base/real_time.hpp"
#include "makegood/brokers.hpp"
#include "transports/broker/protocol.hpp"
#include "transports/kafka/channel.hpp"

namespace makegood::kafka {
namespace {

/// Keeps `now + grace` from overflowing.
constexpr Duration grace_max = std::chrono::hours(24);

class KafkaTransport final : public Transport {
 public:
  KafkaTransport(BrokerOptions options, const Clock& clock) : options_(std::move(options)), clock_(clock) {}

  TransportFeatures features() const override {
    return {.scheme = scheme, .keeps_order_per_key = false, .keeps_in_flight_max = true};
  }

  void send(std::vector<Delivery> deliveries, Completions& done) override {
    const MonotonicTime now = real_now();
    for (auto begin = deliveries.begin(); begin != deliveries.end();) {
      const DestinationPtr destination = begin->destination;
      std::vector<Sending> sendings;
      for (; begin != deliveries.end() && begin->destination == destination; ++begin) {
        const MonotonicTime deadline = now + begin->timeout();
        sendings.push_back({.delivery = std::move(*begin), .done = &done, .deadline = deadline});
      }
      hand_over(destination, std::move(sendings));
    }
  }

  void drain(Completions& done, Duration grace) override {
    const MonotonicTime until = real_now() + std::clamp(grace, Duration::zero(), grace_max);
    std::vector<std::future<void>> drained;
    {
      const std::scoped_lock lock(mutex_);
      for (const auto& [destination, channel] : channels_) drained.push_back(channel->drain(done, until));
    }
    for (std::future<void>& one : drained) one.wait();
  }

 private:
  void hand_over(const DestinationPtr& destination, std::vector<Sending> sendings) {
    const std::scoped_lock lock(mutex_);
    auto found = channels_.find(destination.get());
    if (found == channels_.end()) {
      std::erase_if(channels_, [](const auto& each) { return each.second->is_orphan(); });
      if (channels_.size() >= options_.connections_max) return refuse(sendings);
      found = channels_.emplace(destination.get(), std::make_unique<Channel>(destination, options_, clock_)).first;
    }
    found->second->send(std::move(sendings));
  }

  void refuse(const std::vector<Sending>& sendings) const {
    std::vector<Report> reports;
    for (const Sending& sending : sendings) {
      reports.push_back({sending.delivery.ticket,
                         Reply::unreachable(broker::code_text(Errc::unavailable),
                                            fmt::format("{} destinations of Kafka have a producer here already, which "
                                                        "is `brokers.connections_max`.",
                                                        options_.connections_max))});
    }
    sendings.front().done->post(std::move(reports));
  }

  // Constant after construction.
  const BrokerOptions options_;
  const Clock& clock_;

  std::mutex mutex_;
  /// One per destination object: a changed destination is another object. Guarded by mutex_.
  std::unordered_map<const Destination*, std::unique_ptr<Channel>> channels_;
};

}  // namespace
}  // namespace makegood::kafka

namespace makegood {

Result<std::unique_ptr<Transport>> new_kafka_transport(BrokerOptions options, const Clock& clock) {
  MAKEGOOD_TRY(broker::broker_guard(options));
  return std::unique_ptr<Transport>(std::make_unique<kafka::KafkaTransport>(std::move(options), clock));
}

}  // namespace makegood
