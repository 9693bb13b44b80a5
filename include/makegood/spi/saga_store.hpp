// The seam to the database for sagas: the log of requests, and what is kept beside it.
//
// **The log** is an outbox's log (`makegood_saga`), with all that makes its reading exact. A row is a request: a start,
// whose topic is the definition's name, whose event id is the execution's id and whose payload is its input; or an
// answer, an operator's wish or a new definition, with a topic `makegood.saga.*`. So a start is one INSERT in the
// caller's own transaction, and a start that is repeated is found by its event id.
//
// **The journal** has one row per execution and turn, appended in the turn that decided it. An execution that goes well
// updates no row. What waits for longer than a moment is parked with its due time, and is not in memory.
//
// One exchange is look → load what it speaks of → (the shard decides) → commit. Everything an owner writes goes through
// `commit`, as a turn that must follow the very turn it remembers; otherwise nothing is written: Errc::fenced.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "makegood/spi/saga_figures.hpp"
#include "makegood/spi/store.hpp"

namespace makegood {

/// A start has any topic but one that begins with `makegood.`; other requests have one of these.
inline constexpr std::string_view saga_request_topics = "makegood.saga.";
inline constexpr std::string_view saga_define_topic = "makegood.saga.define";
bool is_saga_start(std::string_view topic);

/// An execution is named by the number of its start in the log.
struct JournalRow {
  Sequence execution = 0;
  std::int64_t revision = 0;  ///< 1, 2, 3 … without a gap.
  std::string records;        ///< `encode(std::vector<SagaRecord>)`.
};

struct SagaEnd {
  SagaSummary summary;
  std::int64_t revision = 0;  ///< Of the last journal row.
  std::string output = {};    ///< JSON, or empty.
  std::string open = {};      ///< Of `failed`: the steps that may be done and are not undone, as a JSON array of names.
};

/// An execution that is not in memory. One row each.
struct SagaParked {
  SagaSummary summary;
  std::optional<TimePoint> due_at = {};  ///< Nothing: only a request goes on with it.
  std::string key = {};                  ///< That it waits for, before it begins.
};

/// The shard's one write.
struct SagaTurn {
  /// Owner, predecessor, lease, position, mark, routing, answers; nothing about deliveries. No `clean`: it does not
  /// know what waits. Of the position `under_way` names the lowest start in memory: from there on nothing is settled.
  Turn turn;
  std::vector<JournalRow> journal = {};
  std::vector<SagaEnd> ends = {};
  std::vector<Sequence> reopened = {};  ///< Their ends go: somebody has settled them, or an answer came late.
  std::vector<SagaParked> parked = {};  ///< Put in the place of the row that is there.
  std::vector<Sequence> unparked = {};  ///< Their parked rows go, if there are any.
  std::vector<SagaKeyHeld> keys_taken = {};
  /// Written last. Those that are still held by these executions go to the lowest parked one that waits for them, which
  /// is due at once; otherwise nobody holds them.
  std::vector<SagaKeyHeld> keys_left = {};
  /// For the outbox, not for this log: an execution that has ended tells of it. An event that is there already stays.
  std::vector<NewMessage> messages = {};
  std::vector<NewMessage> requests = {};  ///< For this log: what executions ask of each other; likewise.
  std::optional<SagaUpkeep> upkeep = {};  ///< After everything else. `Committed::cleaned`: how many rows it went over.
};

/// An execution as it is stored.
struct SagaLoaded {
  MessagePtr start;
  std::vector<JournalRow> journal = {};  ///< By revision; none: it has not begun.
  std::optional<SagaEnd> end = {};
  bool waits_for_key = false;  ///< It is parked for it.
};

struct SagaDefinitionRow {
  std::string name;
  std::int64_t version = 0;
  std::string document;     ///< `encode(SagaDefinition)`.
  std::string source = {};  ///< As somebody has written it, for people.
  TimePoint created_at = {};
};

struct SagaStoreOptions {
  std::string log = "makegood_saga";       ///< Of the requests.
  std::string outbox = "makegood_outbox";  ///< Where what executions have to tell goes; in the same database.
  std::string environment = {};            ///< As in DispatcherOptions.
};

/// The owner's side. One thread at a time per object.
class SagaStore {
 public:
  virtual ~SagaStore() = default;
  virtual StoreFeatures features() const = 0;
  /// Brings the tables to this version. Safe to call again, and from several processes at once.
  virtual Result<> migrate() = 0;
  /// Appends starts and requests, all or none, in a transaction of its own; as `OutboxStore::enqueue`.
  virtual Result<std::vector<Enqueued>> append(std::span<const NewMessage> requests) = 0;

  // As of an OutboxStore, over the log of requests.
  virtual Result<std::optional<Taken>> take(const Owner& owner, Duration lease, const Owner& former) = 0;
  virtual Result<Found> look(const LookFor& wanted) = 0;
  virtual bool has_changed() = 0;
  virtual int change_descriptor() const { return -1; }

  /// Starts from `from` up to `to` that have neither ended nor are parked, ascending, at most `rows_max`.
  virtual Result<std::vector<Sequence>> unfinished(Sequence from, Sequence to, std::size_t rows_max) = 0;
  /// Parked executions whose time has come, the earliest first.
  virtual Result<std::vector<Sequence>> due(TimePoint now, std::size_t rows_max) = 0;
  /// The earliest due time of all that are parked.
  virtual Result<std::optional<TimePoint>> next_due() = 0;
  /// The number of the start with this id, if it was read or can be.
  virtual Result<std::optional<Sequence>> find(std::string_view tenant_id, std::string_view id) = 0;
  /// Those that are there, in the order asked for; what is gone is left out.
  virtual Result<std::vector<SagaLoaded>> load(std::span<const Sequence> executions) = 0;
  /// This version, or the newest when it is 0.
  virtual Result<std::optional<SagaDefinitionRow>> definition(std::string_view name, std::int64_t version) = 0;
  /// Who holds this key.
  virtual Result<std::optional<SagaKeyHeld>> key_holder(std::string_view tenant_id, std::string_view key) = 0;

  /// One durable commit, right after the remembered turn or not at all; errors as of `OutboxStore::commit`.
  virtual Result<Committed> commit(const SagaTurn& turn) = 0;
};

/// Everybody's side: reads, and definitions. Requests go through `append`. One thread at a time per object.
class SagaView {
 public:
  virtual ~SagaView() = default;
  virtual Result<std::optional<Sequence>> find(std::string_view tenant_id, std::string_view id) = 0;
  virtual Result<std::optional<SagaLoaded>> load(Sequence execution) = 0;
  virtual Result<std::optional<SagaParked>> parked(Sequence execution) = 0;
  /// Below `before` (0: from the newest), at most `rows_max`; at most `looked_max` rows are looked at.
  virtual Result<SagaPage> list(const SagaFilter& filter, Sequence before, std::size_t rows_max,
                                std::size_t looked_max) = 0;
  /// By definition and state, of what is parked or has ended other than well; and how many are neither, looking at the
  /// first 100,000 rows of the log where there can be any.
  virtual Result<std::vector<SagaCounts>> counts() = 0;
  /// Of this tenant (empty: of all), by tenant and key, at most `rows_max`.
  virtual Result<std::vector<SagaBlockedKey>> blocked_keys(std::string_view tenant_id, std::size_t rows_max) = 0;
  /// What has a code and has not completed, of this tenant and this definition (empty: of all), the most first, at most
  /// `rows_max` groups; among the newest `looked_max` numbers of the log.
  virtual Result<std::vector<SagaFailures>> failures(std::string_view tenant_id, std::string_view definition,
                                                     std::size_t rows_max, std::size_t looked_max) = 0;
  /// From the summaries, and at most 100,000 ends that are in none yet.
  virtual Result<SagaStatisticsPage> statistics(const SagaStatisticsWanted& wanted) = 0;
  virtual Result<std::vector<Enqueued>> append(std::span<const NewMessage> requests) = 0;

  /// The newest version of each name.
  virtual Result<std::vector<SagaDefinitionRow>> definitions() = 0;
  virtual Result<std::vector<SagaDefinitionRow>> versions(std::string_view name) = 0;
  virtual Result<std::optional<SagaDefinitionRow>> definition(std::string_view name, std::int64_t version) = 0;
  /// Answers the version: the newest one if its document is this one, else the next. `row.version` above 0 names it:
  /// Errc::conflict if it is there with another document, Errc::invalid if it is not the next. One transaction; the
  /// owner is told by a request (`makegood.saga.define`) in it.
  virtual Result<std::int64_t> put_definition(const SagaDefinitionRow& row) = 0;

  /// What signs the addresses that participants call back (`base/saga_token.hpp`): drawn once, when the tables were
  /// made, and the same for all nodes. At least 128 bits of chance.
  virtual Result<std::string> callback_key() = 0;
};

}  // namespace makegood
