// The database of a simulated saga: the log of requests and the tables beside it, in maps. A copy of the tables is what
// the database may fall back to.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "makegood/saga_definition.hpp"
#include "makegood/spi/saga_store.hpp"

namespace makegood::sim {

struct SagaTables {
  Sequence counter = 0;
  std::set<Sequence> drawn = {};  ///< Their transactions are open.
  std::map<Sequence, MessagePtr> log = {};
  std::map<std::pair<std::string, std::string>, Sequence> starts = {};
  std::map<Sequence, std::vector<JournalRow>> journal = {};
  std::map<Sequence, SagaEnd> ends = {};
  std::map<Sequence, SagaParked> parked = {};
  std::map<std::pair<std::string, std::string>, SagaKeyHeld> keys = {};
  std::map<std::string, std::vector<SagaDefinitionRow>, std::less<>> definitions = {};
  std::vector<NewMessage> messages = {};  ///< The outbox.
  std::size_t relayed = 0;                ///< Of them: so many were handed to their participants.
  TurnNumber turn = 0;
  Owner owner = {};
  TimePoint lease_until = {};
  Position position = {};
  LogMark mark = {};
};

/// What may go wrong with a call: nothing happens, or it happens and the answer is lost.
enum class SagaCallFault : std::uint8_t { none, before, after };

class SagaDatabase {
 public:
  using Watcher = std::function<void(const SagaTurn&)>;

  explicit SagaDatabase(std::function<TimePoint()> now) : now_(std::move(now)) {}

  TimePoint now() const { return now_(); }
  SagaTables& tables() { return tables_; }
  const SagaTables& tables() const { return tables_; }
  /// It has fallen back to an older state; all its connections are broken.
  void fall_back(SagaTables tables) {
    tables_ = std::move(tables);
    ++falls_;
  }
  std::uint64_t falls() const { return falls_; }
  /// Called with each turn right before it is written.
  void watch(Watcher watcher) { watcher_ = std::move(watcher); }

  // Producers draw a number first; its row appears with their commit.
  Sequence draw();
  void append(Sequence number, const NewMessage& message);
  void roll_back(Sequence number) { tables_.drawn.erase(number); }
  void define(const SagaDefinition& definition);

  // As a SagaStore has them.
  std::optional<Taken> take(const Owner& owner, Duration lease, const Owner& former);
  Result<Found> look(const LookFor& wanted) const;
  std::vector<Sequence> unfinished(Sequence from, Sequence to, std::size_t rows_max) const;
  std::vector<Sequence> due(TimePoint now, std::size_t rows_max) const;
  std::optional<TimePoint> next_due() const;
  std::vector<SagaLoaded> load(std::span<const Sequence> executions) const;
  Result<Committed> commit(const SagaTurn& turn);

 private:
  void follow_clock(const Turn& turn);
  void write(const SagaTurn& turn);
  void pass_on(const SagaKeyHeld& left);

  std::function<TimePoint()> now_;
  SagaTables tables_;
  std::uint64_t falls_ = 0;
  Watcher watcher_;
};

/// One connection to it. The fault strikes the next call.
class ModelSagaStore final : public SagaStore {
 public:
  explicit ModelSagaStore(SagaDatabase& database) : database_(database) {}
  void fail_next(SagaCallFault fault) { fault_ = fault; }

  StoreFeatures features() const override { return {.name = "model", .numbers_may_stay_open = true}; }
  Result<> migrate() override { return {}; }
  Result<std::vector<Enqueued>> append(std::span<const NewMessage> requests) override;
  Result<std::optional<Taken>> take(const Owner& owner, Duration lease, const Owner& former) override;
  Result<Found> look(const LookFor& wanted) override;
  bool has_changed() override { return true; }
  Result<std::vector<Sequence>> unfinished(Sequence from, Sequence to, std::size_t rows_max) override;
  Result<std::vector<Sequence>> due(TimePoint now, std::size_t rows_max) override;
  Result<std::optional<TimePoint>> next_due() override;
  Result<std::optional<Sequence>> find(std::string_view tenant_id, std::string_view id) override;
  Result<std::vector<SagaLoaded>> load(std::span<const Sequence> executions) override;
  Result<std::optional<SagaDefinitionRow>> definition(std::string_view name, std::int64_t version) override;
  Result<std::optional<SagaKeyHeld>> key_holder(std::string_view tenant_id, std::string_view key) override;
  Result<Committed> commit(const SagaTurn& turn) override;

 private:
  Result<> enter();
  /// Its connection broke since its last call.
  bool is_broken();

  SagaDatabase& database_;
  SagaCallFault fault_ = SagaCallFault::none;
  std::uint64_t falls_ = 0;  ///< That this connection has noticed.
};

}  // namespace makegood::sim
