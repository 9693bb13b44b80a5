// Carries deliveries to brokers of one kind. One thread: everything here happens on its loop (net::EventLoop).
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "transports/broker/link.hpp"
#include "transports/net/per_destination.hpp"

namespace makegood::broker {

/// What is constant for a carrier, and outlives it.
struct CarrierWorld {
  const Dialect& dialect;
  const BrokerOptions& options;
  const net::Guard& guard;
  const Clock& clock;
};

class Carrier {
 public:
  static Result<std::unique_ptr<Carrier>> open(const CarrierWorld& world, net::Poller& poller);
  ~Carrier();
  Carrier(const Carrier&) = delete;
  Carrier& operator=(const Carrier&) = delete;

  void take(std::vector<Delivery> deliveries, Completions& done, MonotonicTime sent_at);
  void ready(const net::Ready& ready);
  void go_on();
  std::optional<Duration> next_timeout() const;

  void stop_starting(const Completions& done);
  bool has_under_way(const Completions& done) const;
  void give_up(const Completions& done);

 private:
  Carrier(const CarrierWorld& world, net::Poller& poller);
  void take(Sending sending);
  Channel new_channel(const DestinationPtr& destination);
  Result<Link*> link_for(const Access& access);

  // Constant after construction.
  const CarrierWorld world_;
  net::Poller& poller_;

  net::Secrets secrets_;
  net::Outgoing outgoing_;
  std::unique_ptr<net::Resolver> resolver_;
  std::vector<std::unique_ptr<Link>> links_;
  net::PerDestination<Channel> channels_;
};

}  // namespace makegood::broker
