// What the engine tells about itself: one call per thing that happened, never a payload.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "makegood/delivery.hpp"
#include "makegood/result.hpp"

namespace makegood {

enum class Fate : std::uint8_t { delivered, retried, died };

/// A delivery attempt that has ended.
struct Settled {
  MessagePtr message;
  DestinationPtr destination;
  std::uint32_t attempt = 0;
  Fate fate = Fate::delivered;
  std::string code = {};
  std::string detail = {};
  Duration since_created = {};  ///< From enqueue to this answer.
  Duration since_sent = {};
};

/// The lane in figures, after an exchange.
struct LaneFigures {
  bool is_owner = false;
  std::size_t pending_count = 0;  ///< Numbers between the position and the counter: not read yet.
  std::size_t in_flight_count = 0;
  std::size_t window_count = 0;
};

/// Called by the lane's own thread; must not block it. The default implementations do nothing.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void settled(std::string_view /*outbox*/, std::span<const Settled> /*deliveries*/) {}
  virtual void figures(std::string_view /*outbox*/, const LaneFigures& /*figures*/) {}
  /// The lane was taken, lost, given up.
  virtual void ownership(std::string_view /*outbox*/, std::string_view /*what*/, const std::string& /*owner*/) {}
  /// Something that an operator should see.
  virtual void alarm(std::string_view /*outbox*/, const Error& /*error*/) {}
  virtual void replayed(std::string_view /*outbox*/, std::size_t /*count*/) {}
};

}  // namespace makegood
