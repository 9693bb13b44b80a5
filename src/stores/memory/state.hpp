// Everything the database holds, as plain tables. Copying it is cheap for what it is: messages are shared.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "makegood/id.hpp"
#include "makegood/store.hpp"

namespace makegood::memory {

using TransactionId = std::uint64_t;

struct EventKey {
  std::string tenant_id;
  std::string event_id;
  auto operator<=>(const EventKey&) const = default;
};

struct ParkedKey {
  Sequence sequence = 0;
  std::string destination;
  auto operator<=>(const ParkedKey&) const = default;
};

struct ParkedRow {
  Parked parked;
  Owner in_hand_of = {};  ///< Whose `under_way` it is; empty when it is nobody's.
  TimePoint changed_at = {};
  std::vector<AttemptNote> story = {};
};

struct DueKey {
  std::string destination;
  TimePoint due_at;
  Sequence sequence = 0;
  auto operator<=>(const DueKey&) const = default;
};

/// One line of the history. Lanes ask for the last position only; operators also when a message was through.
struct TurnRow {
  Owner owner;
  TimePoint at;
  TimePoint lease_until;
  Sequence settled = 0;
  std::shared_ptr<const Position> position = {};  ///< Shared by the copies of this state.
  bool is_taking = false;
  bool is_given_up = false;
};

struct RequestRow {
  NewRequest asked;
  TimePoint created_at = {};
  std::optional<TimePoint> done_at = {};
  std::optional<std::string> answer = {};
};

struct State {
  Ids* ids = nullptr;                      ///< Of its database, for events that come without one.
  Sequence counter = 0;                    ///< The highest number ever drawn.
  std::map<Sequence, MessagePtr> log;      ///< Committed rows.
  std::map<Sequence, MessagePtr> kept;     ///< Rows that left the log while a parked delivery still needed them.
  std::map<EventKey, Sequence> events;     ///< Of the log, and of transactions that are open.
  std::map<Sequence, TransactionId> open;  ///< Numbers drawn by transactions that have not ended.

  std::map<TurnNumber, TurnRow> turns;
  Position position;                         ///< Of the last turn.
  std::map<std::int64_t, Routing> routings;  ///< By version.
  std::map<std::int64_t, Routing> retired;   ///< Versions that no lane goes by any more, and messages of the log did.

  std::map<ParkedKey, ParkedRow> parked;
  std::set<DueKey> waiting;      ///< Index of `parked`: what waits, by time.
  std::set<ParkedKey> blocking;  ///< Index of `parked`: what blocks its key.

  std::int64_t last_request = 0;  ///< The highest id ever given.
  std::map<std::int64_t, RequestRow> requests;
  std::set<std::int64_t> unanswered;  ///< Index of `requests`.
};

/// The message of a parked delivery, from the log or kept; null when there is none.
MessagePtr message_of(const State& state, Sequence sequence);
/// Those that lanes go by.
std::vector<Routing> all_routings(const State& state);
/// The retired ones too.
std::vector<Routing> known_routings(const State& state);

}  // namespace makegood::memory
