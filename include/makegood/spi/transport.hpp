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

/// Where a transport posts what came of its sends, and whose they are: a lane has one. Thread-safe.
class Completions {
 public:
  virtual ~Completions() = default;
  virtual void post(std::vector<Report> reports) = 0;
};

/// Sends deliveries, many at a time, and never blocks the caller for one. It belongs to the process, and all its lanes
/// share it; a lane that ends drains what it has sent, and the others go on.
class Transport {
 public:
  virtual ~Transport() = default;
  virtual TransportFeatures features() const = 0;
  /// Starts these sends. Each is completed exactly once, from any thread, at the latest at its destination's timeout.
  /// Right before a delivery leaves it is asked whether it still may (`Delivery::may_leave`). A reply says what
  /// happened, and first of all whether anything left (`Reply::What`); what it means is not the transport's business.
  virtual void send(std::vector<Delivery> deliveries, Completions& done) = 0;
  /// Of what was sent for `done`: starts nothing more, forgets what has not started, waits up to `grace` for what has;
  /// what is sent meanwhile is forgotten, too. Afterwards `done` is called no more, until it sends again. What was
  /// forgotten gets no completion: it is still a hole in the lane's position, so the next owner sends it. Not to be
  /// called from `done` itself.
  virtual void drain(Completions& done, Duration grace) = 0;
};

}  // namespace makegood
