// The seam to the database: the log of one outbox and what is kept beside it.
//
// One exchange is look → (the lane decides) → commit. Everything an owner writes goes through `commit`, as a turn that
// must follow the very turn it remembers; otherwise nothing is written and the answer is Errc::fenced.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "makegood/message.hpp"
#include "makegood/result.hpp"
#include "makegood/spi/position.hpp"
#include "makegood/spi/routing.hpp"

namespace makegood {

using TurnNumber = std::int64_t;
using Owner = std::string;  ///< A random id, drawn anew at each taking of a lane.

/// The destination of a message that no route leads anywhere; where its dead letter is kept.
inline constexpr std::string_view unrouted = "-";

struct StoreFeatures {
  std::string_view name;
  bool numbers_may_stay_open = false;  ///< A number may be drawn long before its row becomes visible.
  bool is_durable = true;
};

enum class ParkedState { waiting, held, dead, quarantined, done };
std::string_view to_string(ParkedState state);
std::optional<ParkedState> parked_state_from(std::string_view text);

/// An exception: a delivery that has a row of its own. One row per message and destination.
struct Parked {
  Sequence sequence = 0;
  std::string destination;
  std::string tenant_id;
  std::string dispatch_key;
  ParkedState state = ParkedState::waiting;
  bool blocks = false;          ///< Later messages of its key wait for it.
  std::uint32_t attempts = 0;   ///< All sends; counted before the send.
  std::uint32_t answered = 0;   ///< Those of them that count against the limit; counted with the answer.
  std::uint32_t deaths = 0;     ///< How many owners died while an attempt at it was under way.
  TimePoint due_at = {};        ///< Meant for `waiting` only.
  bool under_way = false;       ///< An attempt is under way: looks of that owner leave it out, the next owner sees it.
  std::string error_code = {};  ///< In a turn, empty means: both error fields stay as they are.
  std::string last_error = {};  ///< At most 2 KiB of valid UTF-8, never a payload.
  std::string event_id = {};    ///< Of its message; another one may have drawn its number since. Empty: the log's.
  std::int64_t replay = 0;      ///< The request that has it delivered once more; 0: none has.
};

/// One line in the story of a parked delivery.
struct AttemptNote {
  std::uint32_t attempt = 0;
  TimePoint at = {};
  std::string outcome;  ///< `ok`, `retry`, `fail`, `replayed` …
  std::string code = {};
  std::string error = {};  ///< The beginning of what was said; the whole of it is the row's last error.
  Owner owner = {};        ///< Whose attempt it was.
};

/// What operators ask for. They never write lane state; the owner carries it out in its next turn.
enum class RequestKind {
  replay,      ///< One dead letter, from its first attempt.
  quarantine,  ///< A parked delivery is put away.
  release,     ///< Out of quarantine: dead again.
  rewind,      ///< Of a stopped lane: it reads on from `sequence`, or from the first row that is there.
  pause,       ///< A destination, or a tenant at it, gets nothing any more.
  resume,
  unblock,         ///< Those behind a parked delivery may pass it.
  history,         ///< What was delivered is delivered again: numbers from `sequence` to `until`, to one destination.
  cancel,          ///< Ends a replay of history.
  cancel_message,  ///< Nothing more of a message is sent.
  configure,       ///< Destinations and routes change, as `document` says.
  annotate,        ///< Changes nothing: the reason is a note, kept with the others about a delivery.
  go_on,           ///< Of a stopped lane whose log is as it was: it keeps its position.
};
std::string_view to_string(RequestKind kind);
std::optional<RequestKind> request_kind_from(std::string_view text);

struct NewRequest {
  RequestKind kind = RequestKind::replay;
  Sequence sequence = 0;    ///< The message; for history and rewind the first one.
  std::string destination;  ///< Not for rewind and go_on.
  std::string operator_name;
  std::string reason = {};
  std::string tenant_id = {};  ///< Of pause, resume, history and cancel: empty for all tenants.
  Sequence until = 0;          ///< Of history: the last message; 0 for all that there is.
  std::string document = {};   ///< Of configure: `encode(RoutingChange)`.
};

struct Request {
  std::int64_t id = 0;
  NewRequest asked;
  std::optional<Parked> row = {};  ///< The parked delivery it speaks of, as the look saw it.
  std::vector<Parked> rows = {};   ///< Of cancel_message: all of the message. Of rewind: all in quarantine.
  MessagePtr message = {};         ///< Of cancel_message; null: there is none.
};

struct RequestAnswer {
  std::int64_t id = 0;
  std::string result;  ///< `done`, or one sentence that says why not.
};

/// What a new owner begins with.
struct Taken {
  TurnNumber turn = 0;
  Position position;
  LogMark mark = {};
  TimePoint now;
  std::vector<Parked> blocking = {};   ///< Every parked delivery that blocks its key.
  std::vector<NextDue> next_due = {};  ///< The earliest waiting delivery of each destination.
  std::vector<ParkedCount> parked_counts = {};
  std::vector<Routing> routings = {};  ///< All that are kept, by version.
  std::string incarnation = {};        ///< Of the database, in which the numbers count.
  bool is_after_death = false;         ///< The last owner neither gave the lane up nor was ourselves.
  std::size_t fruitless_takings = 0;   ///< Owners in a row, up to the last one, that died before their first turn.
};

struct LookFor {
  Owner owner;
  TurnNumber after = 0;      ///< The remembered turn: if another is the last, Errc::fenced. 0 = not compared.
  bool is_thorough = false;  ///< Also ask what takes long: whether a row lies where the log was cleaned.
  Sequence reached = 0;
  /// Holes that a taker has not read yet: to be read first, whatever the filter says.
  std::vector<Sequence> numbers = {};
  /// Open until now. What has appeared of them is read next, whatever the filter says; no side lane reads them.
  NumberSet open = {};
  bool is_reading_on = true;   ///< False: nothing beyond `reached` is wanted.
  std::size_t rows_max = 0;    ///< 0: nothing is to be read from the log.
  std::size_t bytes_max = 0;   ///< Always at least one row.
  std::size_t passed_max = 0;  ///< With a filter: how many rows may be passed beyond `reached`; 0 = no limit.
  std::optional<Filter> filter = {};

  struct Due {
    std::string destination;
    std::size_t rows_max = 0;
    std::vector<std::string> without_tenants = {};
  };
  std::vector<Due> due = {};

  /// A side lane's part of the look: first `numbers`, then what its filter wants up to `until`, without open numbers.
  struct Side {
    Sequence reached = 0;
    Sequence until = 0;
    std::vector<Sequence> numbers = {};
    std::size_t rows_max = 0;
    std::size_t bytes_max = 0;  ///< Always at least one row.
    std::size_t passed_max = 0;
    Filter filter = {};
  };
  std::vector<Side> sides = {};
};

/// A parked delivery whose time has come.
struct DueDelivery {
  Parked parked;
  MessagePtr message;
};

/// What there is to do, from one snapshot. While there is trouble with the log, or the last turn says `stopped`, it is
/// requests alone.
struct Found {
  TimePoint now;                      ///< The store's clock.
  Sequence counter = 0;               ///< The highest number ever drawn.
  Sequence looked_to = 0;             ///< Every visible row up to here was returned or is `open`; at least `reached`.
  std::vector<MessagePtr> rows = {};  ///< Those of `numbers`, of `open`, then those beyond `reached`; each ascending.
  std::vector<Sequence> unread = {};  ///< Of `numbers`: not looked at, for lack of room. Then nothing beyond was read.
  /// Numbers up to `looked_to` that may still appear, or have appeared and were not read for lack of room. Others pass
  /// these; but a row whose key has one that was not read is not read, either.
  NumberSet open = {};
  std::vector<DueDelivery> due = {};
  std::vector<NextDue> next_due = {};  ///< For each destination asked about: the earliest that was not returned.
  std::vector<Request> requests = {};
  bool is_more = false;  ///< A limit cut the answer short.
  LogTrouble trouble = LogTrouble::none;
  Sequence first_row = 0;  ///< The lowest in the log, if a request to rewind or to go on is there; 0 = none.
  struct Side {
    Sequence looked_to = 0;             ///< Everything wanted up to here was returned; at most `until`.
    std::vector<MessagePtr> rows = {};  ///< Ascending.
    std::vector<Sequence> unread = {};  ///< Of its `numbers`: for lack of room. Then nothing beyond was read.
  };
  std::vector<Side> sides = {};  ///< One for each that was asked for, in the same order.
};

/// A step of the cleaner, part of a turn: delivered rows that a turn older than `retention` had settled. The anchor
/// stays; when its own time has come, a row of `anchor_topic` is appended and takes its place in the same turn.
struct Clean {
  Duration retention = {};
  Duration dead_retention = {};  ///< 0 = dead letters are kept for ever.
  std::size_t rows_max = 0;
};

/// The lane's one write.
struct Turn {
  Owner owner;
  TurnNumber after = 0;  ///< The turn that it must follow.
  Duration lease = {};   ///< 0: the lane is given up.
  Position position = {};
  LogMark mark = {};
  Duration set_back = {};  ///< Of the clock, since the last turn: first, retries and what was due move back with it.
  struct Change {
    Parked row;
    std::optional<AttemptNote> note = {};
  };
  std::vector<Change> parked = {};
  std::vector<RequestAnswer> answers = {};
  std::vector<NewMessage> messages = {};  ///< What Makegood itself has to tell, appended to the log.
  std::optional<Routing> routing = {};    ///< A new version, to be kept.
  std::int64_t oldest_routing = 0;        ///< Versions below this one are needed by no lane; the cleaner may drop them.
  std::optional<Clean> clean = {};
  bool is_reset = false;   ///< All messages go, with all that is known of them. None may lie beyond the position.
  bool is_rewind = false;  ///< What is beyond begins anew, but for quarantines; what waits for a message gone is dead.
};

struct Committed {
  TurnNumber turn = 0;
  std::size_t cleaned = 0;           ///< How many rows.
  std::optional<LogMark> mark = {};  ///< As the cleaner has left it, if it was there.
};

/// One thread at a time per object.
class OutboxStore {
 public:
  virtual ~OutboxStore() = default;
  virtual StoreFeatures features() const = 0;
  /// Brings the tables to this version. Safe to call again, and from several processes at once.
  virtual Result<> migrate() = 0;
  /// All or none, in a transaction of its own. An event that is there already is answered with its first number, or
  /// Errc::conflict if its content is another. The rules of an application (size, schemas) are the caller's to check.
  virtual Result<std::vector<Enqueued>> enqueue(std::span<const NewMessage> messages) = 0;
  /// Takes the lane if nobody owns it; empty when somebody does. `former`: an id of ours, which is taken from at once.
  virtual Result<std::optional<Taken>> take(const Owner& owner, Duration lease, const Owner& former) = 0;
  /// In one snapshot. Fails once after the database may have forgotten commits: the lane goes back to its last turn.
  virtual Result<Found> look(const LookFor& wanted) = 0;
  /// One durable commit, right after the remembered turn or not at all. Errc::fenced and Errc::in_doubt mean: forget
  /// everything and take anew. After any other error certainly nothing was written, and it may be tried again.
  virtual Result<Committed> commit(const Turn& turn) = 0;
  /// Whether others may have committed anything since the last look. Cheap; may say yes too often, never no.
  virtual bool has_changed() = 0;
  /// Readable when somebody writes, perhaps a moment before it can be seen, until `has_changed`. -1: it is asked often.
  virtual int change_descriptor() const { return -1; }
};

}  // namespace makegood
