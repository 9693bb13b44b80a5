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
#include "makegood/spi/store.hpp"

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
  std::string event_id = {};
  auto operator<=>(const ParkedKey&) const = default;
};

struct KeptKey {
  Sequence sequence = 0;
  std::string event_id = {};
  auto operator<=>(const KeptKey&) const = default;
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
  std::string event_id = {};
  auto operator<=>(const DueKey&) const = default;
};

/// One line of the history. Lanes ask for the last position only; operators also when a message was through.
struct TurnRow {
  Owner owner;
  TimePoint at;
  TimePoint lease_until;
  Sequence settled = 0;
  LogMark mark = {};
  std::shared_ptr<const Position> position = {};  ///< Shared by the copies of this state.
  bool is_taking = false;
};

struct RequestRow {
  NewRequest asked;
  TimePoint created_at = {};
  std::optional<TimePoint> done_at = {};
  std::optional<std::string> answer = {};
};

struct SagaLog;

struct State {
  Ids* ids = nullptr;                      ///< Of its database, for events that come without one.
  Sequence counter = 0;                    ///< The highest number ever drawn.
  std::map<Sequence, MessagePtr> log;      ///< Committed rows.
  std::map<KeptKey, MessagePtr> kept;      ///< Rows that left the log while a parked delivery still needed them.
  std::map<EventKey, Sequence> events;     ///< Of the log, and of transactions that are open.
  std::map<Sequence, TransactionId> open;  ///< Numbers drawn by transactions that have not ended.

  std::string environment;  ///< Of the first owner that had one; a process of another one owns nothing here.
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

  std::vector<SagaLog> sagas;  ///< One, if there are any: saga_log.hpp. In here, so that a copy is one of all.

  State();
  State(const State& other);
  State(State&& other) noexcept;
  State& operator=(const State& other);
  State& operator=(State&& other) noexcept;
  ~State();
};

/// The last turn's; without any turn, an empty one.
LogMark last_mark(const State& state);
/// Whoever has the number now: in the log or kept; null when nobody has.
MessagePtr message_of(const State& state, Sequence sequence);
/// The message of a parked delivery, from the log or kept; null when it is gone, even if another has its number now.
MessagePtr message_of(const State& state, const Parked& row);
/// The parked delivery of whoever has the number now; null when there is none.
const ParkedRow* find_parked(const State& state, Sequence sequence, const std::string& destination);
/// The message of a parked delivery is in the log, and not another that has its number now.
bool is_in_log(const State& state, const ParkedKey& key);
/// Those that lanes go by.
std::vector<Routing> all_routings(const State& state);
/// The retired ones too.
std::vector<Routing> known_routings(const State& state);

}  // namespace makegood::memory
