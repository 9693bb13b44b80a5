// The seam to whatever carries a delivery away.
#pragma once

#include <string_view>
#include <vector>

#include "makegood/delivery.hpp"

namespace makegood {

struct TransportFeatures {
  std::string_view scheme;           ///< The part of a destination's name before the colon.
  bool keeps_order_per_key = false;  ///< Several deliveries of one key may be in flight.
  bool keeps_in_flight_max = false;  ///< May be handed more than a destination takes at once: the rest waits its turn.
};

/// Where a transport posts what came of its sends. Thread-safe.
class Completions {
 public:
  virtual ~Completions() = default;
  virtual void post(std::vector<Completion> completions) = 0;
};

/// Sends deliveries, many at a time, and never blocks the caller for one.
class Transport {
 public:
  virtual ~Transport() = default;
  virtual TransportFeatures features() const = 0;
  /// Starts these sends. Each is completed exactly once, from any thread, at the latest at its destination's timeout.
  virtual void send(std::vector<Delivery> deliveries, Completions& done) = 0;
  /// Starts nothing more, forgets what has not started, waits up to `grace` for what has. `done` is never called after
  /// it. What was forgotten gets no completion: it is still a hole in the lane's position, so the next owner sends it.
  virtual void stop(Duration grace) = 0;
};

}  // namespace makegood
