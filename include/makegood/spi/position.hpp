// How far a lane has come in its log, exactly; and how far each of its side lanes has.
#pragma once

#include <compare>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "makegood/message.hpp"
#include "makegood/result.hpp"
#include "makegood/spi/numbers.hpp"

namespace makegood {

/// A part of a destination's deliveries that can leave the lane as a whole. An empty field means: all. Scopes are
/// nested (destination ⊃ tenant at it ⊃ key at it), and none cuts a key: a priority speaks only of messages without
/// one.
struct Scope {
  std::string destination;
  std::string tenant_id = {};
  std::string dispatch_key = {};
  std::optional<int> priority = {};
  auto operator<=>(const Scope&) const = default;
};

/// Whether the scope holds this message's delivery to the scope's destination.
bool contains(const Scope& scope, std::string_view tenant_id, std::string_view dispatch_key, int priority);
/// Whether all of `inner` lies in `outer`; a scope lies in itself.
bool is_inside(const Scope& inner, const Scope& outer);
/// `fn:billing`, `fn:billing tenant=acme`, `fn:billing tenant=acme key=order-7`.
std::string to_string(const Scope& scope);

/// A scope with a position of its own in the same log. It has read up to `reached`; what it has not ended of that is
/// under way. It never reads beyond the main lane's `reached`, and never an open number: those are kept by the main
/// lane.
struct SideLane {
  enum class Why { paused, broken, crowded, history, disabled };

  Scope scope;
  Why why = Why::paused;
  bool is_paused = false;  ///< By an operator, or disabled. Holds for every lane inside the scope.
  Sequence reached = 0;
  std::vector<Sequence> under_way = {};  ///< Sorted. Read and not ended, or handed over and not read yet.
  // A replay of history, or a backfill: beside the lane that carries the scope now, from `begin` up to `end`.
  Sequence begin = 0;
  Sequence end = 0;
  std::int64_t routing = 0;  ///< The version of the routes that it goes by.
  std::int64_t replay = 0;   ///< The request that asked for it; 0 in what older versions wrote.
  std::string because = {};  ///< Of a disabled one: what its destination did. Of a paused one: who asked, and why.
  TimePoint since = {};      ///< While it is paused: since when.
  bool operator==(const SideLane&) const = default;
};
std::string_view to_string(SideLane::Why why);

/// Deliveries whose owner died while they were under way, and how many owners did; by destination.
using Suspects = std::map<std::string, std::map<Sequence, unsigned>, std::less<>>;

/// A destination without one success. Failures are counted no faster than time goes, so that a burst is one.
struct Failing {
  TimePoint since = {};
  std::uint32_t count = 0;
  TimePoint unanswered_since = {};  ///< Meant only if `unanswered` is above 0.
  std::uint32_t unanswered = 0;     ///< Of them, since it has answered anything at all.
  bool operator==(const Failing&) const = default;
};

/// Everything up to `reached` is done or parked, except the holes. A hole is an open number (drawn, and its transaction
/// may still commit, or has, and its row is not read yet) or a delivery under way (read, perhaps sent, not yet known to
/// have ended). All lists are sorted.
struct Position {
  struct Alone {
    std::string destination;
    Sequence sequence = 0;
    bool operator==(const Alone&) const = default;
  };

  Sequence reached = 0;
  NumberSet open = {};
  std::map<std::string, std::vector<Sequence>, std::less<>> under_way = {};  ///< By destination; no list is empty.
  std::vector<SideLane> sides = {};                          ///< What they carry is not in the fields above.
  Suspects suspects = {};                                    ///< Of those under way here or in a side lane.
  std::optional<Alone> alone = {};                           ///< The suspect that is being sent by itself.
  std::map<std::string, Failing, std::less<>> failing = {};  ///< By destination.
  /// Whoever has still to read them leaves them out: by destination, or all under `unrouted`. No set is empty.
  std::map<std::string, NumberSet, std::less<>> cancelled = {};
  TimePoint clock = {};  ///< The store's, when this was decided: what is parked is due by it.
  /// Of a saga's log: when nobody worked on it, the oldest first. That time does not count against a deadline.
  struct Absence {
    TimePoint from = {};
    TimePoint until = {};
    bool operator==(const Absence&) const = default;
  };
  std::vector<Absence> absences = {};
  bool operator==(const Position&) const = default;
};

struct NextDue {
  std::string destination;
  TimePoint due_at;
};

/// How many deliveries are waiting for a retry or held; delayed and dead ones do not count.
struct ParkedCount {
  std::string destination;
  std::size_t count = 0;
};

/// Why a log cannot be read: its numbers do not mean what they meant when the last turn was written.
enum class LogTrouble {
  none,
  counter_behind,    ///< The counter is below the position, or below what it was.
  anchor_missing,    ///< The newest row that was read is gone.
  anchor_changed,    ///< Its number is another message's.
  drawn_again,       ///< A row lies where the cleaner had emptied the log.
  sequence_changed,  ///< The database does not draw one number after the other.
  foreign_number,    ///< A row lies above the counter.
};
std::string_view to_string(LogTrouble trouble);
std::optional<LogTrouble> log_trouble_from(std::string_view text);
/// With the way out in its sentence.
Error error_of(LogTrouble trouble);

/// What a turn remembers of its log. It is compared in each look, so that numbers that are drawn twice are noticed.
struct LogMark {
  Sequence anchor = 0;            ///< The newest row that was read; it stays in the log. 0: there is none yet.
  std::string anchor_event = {};  ///< Its event id.
  Sequence counter = 0;           ///< The highest number that was known to be drawn.
  Sequence cleaned = 0;           ///< The cleaner has emptied the log up to here.
  /// Nothing is read until an operator says `rewind` or `go_on`, whatever the log looks like by then.
  LogTrouble stopped = LogTrouble::none;
  bool operator==(const LogMark&) const = default;
};

/// Everything up to here has ended or is parked, in every lane.
Sequence settled(const Position& position);

/// As JSON. A set of numbers is run-length encoded, alternating absent and present, starting with absent at 0: 3, 4, 5
/// and 8 is [3,3,2,1]. {"reached":9,"open":[7,1],"under_way":{"fn:billing":[3,3,2,1]}}. Side lanes, suspects, the one
/// alone, those failing, those cancelled and the clock are there only when there are any.
std::string encode(const Position& position);
Result<Position> decode_position(std::string_view json);

}  // namespace makegood
