// Hands deliveries to the transports that carry them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "makegood/clock.hpp"
#include "makegood/spi/transport.hpp"

namespace makegood::engine {

/// Of one owner. The transports belong to the process and must outlive it.
class TransportRouter {
 public:
  explicit TransportRouter(std::vector<Transport*> transports) : transports_(std::move(transports)) {}

  /// Each goes to the transport of its scheme. One that has none is answered as unreachable.
  void send(std::vector<Delivery> deliveries, Completions& done) const;
  /// `Transport::drain` of all of them, within one grace.
  void drain(Completions& done, Duration grace, const Clock& clock) const;
  /// The schemes of those that keep the limits of their destinations by themselves.
  std::vector<std::string> schemes_running_ahead() const;

 private:
  Transport* transport_for(const Destination& destination) const;
  void answer_unsendable(const std::vector<Delivery>& deliveries, Completions& done) const;

  const std::vector<Transport*> transports_;
};

}  // namespace makegood::engine
