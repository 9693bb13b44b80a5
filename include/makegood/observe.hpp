// What the engine tells about itself: one call per thing that happened, never a payload.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "makegood/delivery.hpp"
#include "makegood/result.hpp"
#include "makegood/spi/position.hpp"

namespace makegood {

enum class Fate : std::uint8_t { delivered, retried, died };

/// A delivery attempt that has ended.
struct EndedAttempt {
  MessagePtr message;
  DestinationPtr destination;
  std::uint32_t attempt = 0;
  Fate fate = Fate::delivered;
  std::string code = {};
  std::string detail = {};
  Duration since_created = {};  ///< From enqueue to this answer.
  Duration since_sent = {};
};

/// Something about the lane itself that has changed.
struct LaneNews {
  enum class Kind : std::uint8_t {
    side_opened,
    side_merged,
    side_ended,  ///< A replay of history is through.
    circuit_opened,
    circuit_closed,
    routes_changed,
    suspect_alone,  ///< A message that was under way at two deaths is sent by itself.
    suspect_died,   ///< It killed its owner once too often.
    disabled,       ///< A destination said that it is gone, or has failed for too long.
  };
  Kind kind = Kind::side_opened;
  Scope scope = {};
  SideLane::Why why = SideLane::Why::paused;  ///< Of a side lane.
  Sequence sequence = 0;                      ///< Of a suspect.
};
std::string_view to_string(LaneNews::Kind kind);

/// The lane in figures, after an exchange.
struct LaneFigures {
  bool is_owner = false;
  std::size_t unread_count = 0;  ///< Numbers between the position and the counter.
  /// Not delivered yet, at most: what is not read, all that the slowest side lane has before it, what is in hand, and
  /// what waits for a retry. A message that only others carry there, or that is in two of these, counts too often.
  std::size_t pending_count = 0;
  std::size_t open_count = 0;  ///< Numbers that were drawn and may still appear.
  std::size_t in_flight_count = 0;
  std::size_t window_count = 0;
  std::size_t side_lane_count = 0;
  std::size_t open_circuit_count = 0;
  std::size_t parked_count = 0;  ///< Waiting for a retry, or held.
};

/// Something has become of an execution of a saga.
struct SagaNews {
  enum class Kind : std::uint8_t {
    started,
    step_ended,  ///< An action was answered.
    compensating,
    manual,
    completed,
    compensated,
    failed,
    cancelled,
    replayed,   ///< It had failed, and an operator lets it go on.
    unverified  ///< It has ended, and a request of an undone step of which nothing is known may still run.
  };
  Kind kind = Kind::started;
  std::string definition;
  std::string tenant_id;
  std::string id;
  std::string step = {};  ///< That has ended, or where it failed.
  std::string code = {};
  std::string output = {};  ///< What the definition returns, of one that is completed; JSON or empty.
  Duration took = {};       ///< Since the execution began, or the attempt.
};
std::string_view to_string(SagaNews::Kind kind);

/// A shard of sagas in figures, after an exchange.
struct SagaFigures {
  bool is_owner = false;
  std::size_t in_memory_count = 0;
  std::size_t in_flight_count = 0;
  std::size_t open_circuit_count = 0;
  std::size_t upkept_count = 0;  ///< Rows that the upkeep has counted or removed since the last figures.
};

/// Something has become of what a source reads.
struct SourceNews {
  enum class Kind : std::uint8_t {
    taken,       ///< Messages are in the log that were not.
    repeated,    ///< Messages were there already.
    unreadable,  ///< Messages became dead letters, as what they are.
    fenced,      ///< Somebody else has gone on; nothing was written.
    behind,      ///< So many are still at the broker; told every now and then.
    stopped,     ///< It cannot read, and says why.
    reads        ///< For the first time, or again.
  };
  Kind kind = Kind::taken;
  std::size_t count = 0;  ///< Of messages, or 0.
  std::string code = {};
  std::string error = {};
};
std::string_view to_string(SourceNews::Kind kind);

/// Called by the lane's own thread; must not block it. The default implementations do nothing.
class Observer {
 public:
  virtual ~Observer() = default;
  /// A turn is committed that read these for the first time, for the first of their destinations.
  virtual void enqueued(std::string_view /*outbox*/, std::span<const MessagePtr> /*messages*/) {}
  virtual void attempts_ended(std::string_view /*outbox*/, std::span<const EndedAttempt> /*deliveries*/) {}
  virtual void figures(std::string_view /*outbox*/, const LaneFigures& /*figures*/) {}
  /// The lane was taken, lost, given up.
  virtual void ownership(std::string_view /*outbox*/, std::string_view /*what*/, const std::string& /*owner*/) {}
  /// Something that an operator should see.
  virtual void alarm(std::string_view /*outbox*/, const Error& /*error*/) {}
  virtual void news(std::string_view /*outbox*/, std::span<const LaneNews> /*news*/) {}
  virtual void replayed(std::string_view /*outbox*/, std::size_t /*count*/) {}
  /// This saga is defined; its executions may be told of from now on.
  virtual void saga_defined(std::string_view /*log*/, const std::string& /*definition*/) {}
  virtual void sagas(std::string_view /*log*/, std::span<const SagaNews> /*news*/) {}
  virtual void saga_figures(std::string_view /*log*/, const SagaFigures& /*figures*/) {}
  /// By the thread of the source.
  virtual void source(std::string_view /*outbox*/, std::string_view /*source*/, const SourceNews& /*news*/) {}
};

}  // namespace makegood
