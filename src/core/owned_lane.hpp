// All that is known of a lane while it is ours: to forget it is to destroy it. The rules that work on it are functions,
// by subject: lane_look.hpp, lane_read.hpp, lane_settle.hpp, lane_sides.hpp, lane_requests.hpp and their neighbours.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/cancelled.hpp"
#include "core/deliveries.hpp"
#include "core/destinations.hpp"
#include "core/keys.hpp"
#include "core/log_cursor.hpp"
#include "core/ownership.hpp"
#include "core/parked_changes.hpp"
#include "core/reports.hpp"
#include "core/routing_registry.hpp"
#include "core/side_lanes.hpp"
#include "core/suspects.hpp"
#include "core/window.hpp"
#include "makegood/dispatcher.hpp"
#include "makegood/spi/store.hpp"

namespace makegood::core {

/// What outlives an ownership.
struct Lasting {
  Lasting(const DispatcherOptions& first, std::uint64_t seed, std::vector<std::string> running_ahead, Sharing sharing);
  double unit_random();
  /// Nothing is in hand and nothing is known of the destinations any more.
  void clear();

  // Constant after construction.
  const std::string outbox;
  const Duration lease;
  const bool is_registry_in_store;

  DispatcherOptions options;
  std::uint64_t random_state;
  Destinations destinations;
  Window window;  ///< Empty between two ownerships; but it remembers which tickets it has given out.
  Reports reports;
  std::set<std::string> incarnations = {};  ///< All that were seen: deliveries under way point at them.
  bool is_stopping = false;
  bool is_away = false;           ///< At the store, from a look to the next release.
  bool has_seen_tenants = false;  ///< More than the one that everybody has who names none.
  int highest_priority = 0;       ///< Seen so far, of messages without a key.
  MonotonicTime looked_at = {};
  Sequence counter = 0;       ///< As the last look saw it.
  Sequence left_at = 0;       ///< How far the last ownership had read.
  std::size_t side_turn = 0;  ///< Which side lane looks first.
};

/// What the look under way was asked for.
struct Asked {
  struct FromSide {
    Side* side;  ///< Null when it is gone, or has got numbers back: what it looked up beyond them must wait.
    std::vector<Sequence> numbers;
  };
  MonotonicTime at = {};
  std::vector<FromSide> sides = {};
  std::vector<DestinationIndex> due = {};
  bool has_rows = false;
  bool is_thorough = false;
  bool is_disturbed = false;  ///< Numbers came back meanwhile: what it read beyond them must wait.
};

/// An outcome that is known, and waits for the turn that records it.
struct Answer {
  CarriedIndex index;
  Outcome outcome;
  MonotonicTime at;
  bool is_spent = true;    ///< False: it was sent before the circuit opened, or not at all, and goes back.
  bool is_counted = true;  ///< It is one of the attempts that are answered.
};

/// Why a destination is to be disabled. A success withdraws what was concluded from failures, not what it said.
struct Gone {
  std::string because = {};
  bool is_said = false;
};

struct OwnedLane {
  OwnedLane(Lasting& lasting, Ownership ownership);

  Lasting& lasting;
  const DispatcherOptions& options;
  Destinations& destinations;
  Window& window;
  Reports& reports;

  Ownership ownership;
  LogCursor log;
  Position committed_position = {};
  Cancelled cancelled;
  RoutingRegistry registry;
  Keys keys = {};
  SideLanes sides = {};
  Suspects suspects;
  Deliveries deliveries;
  ParkedChanges parked;
  Asked asked = {};
  std::vector<Answer> answers = {};
  std::vector<Key*> freed = {};  ///< A success has freed them, and the next one is parked: the next turn makes it due.
  std::vector<Scope> overheld = {};                    ///< Keys with too many held behind them.
  std::vector<DestinationIndex> removed = {};          ///< What waits for them is wound up with the next turn.
  std::map<DestinationIndex, Gone> gone = {};          ///< To be disabled with the next turn, and why.
  std::optional<MonotonicTime> unrecorded_since = {};  ///< The oldest success that no turn has recorded.
  std::optional<MonotonicTime> full_since = {};        ///< Since when there is more to read than room.
  MonotonicTime clean_at = {};
  bool is_giving_up = false;
  bool is_turn_needed = false;           ///< Something in hand waits for the turn that is being decided.
  std::optional<Turn> draft = {};        ///< The turn that is being decided, or waits for its commit.
  std::optional<Position> rewound = {};  ///< What the turn that is being decided says instead of ours.
};

}  // namespace makegood::core
