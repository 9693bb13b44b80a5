// Connections to the sagas of a database in memory: each call is one access to it.
#include <fmt/format.h>

#include <utility>

#include "base/new_row.hpp"
#include "base/saga_versions.hpp"
#include "base/seed.hpp"
#include "stores/memory/database.hpp"
#include "stores/memory/environment.hpp"
#include "stores/memory/log.hpp"
#include "stores/memory/look.hpp"
#include "stores/memory/memory.hpp"
#include "stores/memory/saga_log.hpp"
#include "stores/memory/turns.hpp"

namespace makegood::memory {
namespace {

constexpr std::size_t callback_key_digits = 64;

Result<std::vector<Enqueued>> append_requests(State& log, std::span<const NewMessage> requests, TimePoint now) {
  MAKEGOOD_TRY(check_request_topics(requests));
  return append_all(log, requests, now);
}

class Sagas final : public SagaStore {
 public:
  Sagas(std::shared_ptr<Database> database, const Clock& clock, std::string environment)
      : database_(std::move(database)), clock_(clock), environment_(std::move(environment)) {}

  StoreFeatures features() const override {
    return {.name = "memory", .numbers_may_stay_open = true, .is_durable = false};
  }
  Result<> migrate() override { return {}; }

  Result<std::vector<Enqueued>> append(std::span<const NewMessage> requests) override {
    auto access = database_->access();
    auto appended = MAKEGOOD_TRY(append_requests(log_in(access).requests, requests, clock_.now()));
    access.changed();
    return appended;
  }
  Result<std::optional<Taken>> take(const Owner& owner, Duration lease, const Owner& former) override {
    auto access = database_->access();
    MAKEGOOD_TRY(check_environment(access.state(), environment_));
    auto taken = memory::take(log_in(access).requests, {owner, lease, former}, clock_.now());
    if (taken && access.state().environment.empty()) access.state().environment = environment_;
    if (taken) access.changed();
    return taken;
  }
  Result<Found> look(const LookFor& wanted) override {
    auto access = database_->access();
    seen_changes_ = access.changes();
    return memory::look(log_in(access).requests, wanted, clock_.now());
  }
  bool has_changed() override { return database_->access().changes() != seen_changes_; }

  Result<std::vector<Sequence>> unfinished(Sequence from, Sequence to, std::size_t rows_max) override {
    auto access = database_->access();
    return memory::unfinished(log_in(access), from, to, rows_max);
  }
  Result<std::vector<Sequence>> due(TimePoint now, std::size_t rows_max) override {
    auto access = database_->access();
    return due_executions(log_in(access), now, rows_max);
  }
  Result<std::optional<TimePoint>> next_due() override {
    auto access = database_->access();
    const SagaLog& log = log_in(access);
    return log.due.empty() ? std::optional<TimePoint>() : std::optional(log.due.begin()->first);
  }
  Result<std::optional<Sequence>> find(std::string_view tenant_id, std::string_view id) override {
    auto access = database_->access();
    return find_start(log_in(access), tenant_id, id);
  }
  Result<std::vector<SagaLoaded>> load(std::span<const Sequence> executions) override {
    auto access = database_->access();
    std::vector<SagaLoaded> all;
    for (const Sequence execution : executions) {
      if (auto loaded = memory::load(log_in(access), execution)) all.push_back(*std::move(loaded));
    }
    return all;
  }
  Result<std::optional<SagaDefinitionRow>> definition(std::string_view name, std::int64_t version) override {
    auto access = database_->access();
    return definition_of(log_in(access), name, version);
  }
  Result<std::optional<SagaKeyHeld>> key_holder(std::string_view tenant_id, std::string_view key) override {
    auto access = database_->access();
    return memory::key_holder(log_in(access), tenant_id, key);
  }

  Result<Committed> commit(const SagaTurn& turn) override {
    auto access = database_->access();
    const Committed committed = MAKEGOOD_TRY(memory::commit(access.state(), turn, clock_.now()));
    const bool had_seen_all = seen_changes_ == access.changes();
    access.changed();
    if (had_seen_all) seen_changes_ = access.changes();  // Our own turn is no news to us.
    return committed;
  }

 private:
  static SagaLog& log_in(Database::Access& access) { return sagas_of(access.state()); }

  const std::shared_ptr<Database> database_;
  const Clock& clock_;
  const std::string environment_;
  std::uint64_t seen_changes_ = 0;
};

class SagasView final : public SagaView {
 public:
  SagasView(std::shared_ptr<Database> database, const Clock& clock) : database_(std::move(database)), clock_(clock) {}

  Result<std::optional<Sequence>> find(std::string_view tenant_id, std::string_view id) override {
    auto access = database_->access();
    return find_start(sagas_of(access.state()), tenant_id, id);
  }
  Result<std::optional<SagaLoaded>> load(Sequence execution) override {
    auto access = database_->access();
    return memory::load(sagas_of(access.state()), execution);
  }
  Result<std::optional<SagaParked>> parked(Sequence execution) override {
    auto access = database_->access();
    const SagaLog& log = sagas_of(access.state());
    const auto row = log.waiting.find(execution);
    return row == log.waiting.end() ? std::optional<SagaParked>() : std::optional(row->second);
  }
  Result<SagaPage> list(const SagaFilter& filter, Sequence before, std::size_t rows_max,
                        std::size_t looked_max) override {
    auto access = database_->access();
    const SagaLog& log = sagas_of(access.state());
    SagaPage page = list_sagas(log, filter, before, rows_max, looked_max);
    page.purged_count = log.purged_count;
    page.purged_before = log.purged_before;
    return page;
  }
  Result<std::vector<SagaCounts>> counts() override {
    auto access = database_->access();
    return count_sagas(sagas_of(access.state()));
  }
  Result<std::vector<SagaBlockedKey>> blocked_keys(std::string_view tenant_id, std::size_t rows_max) override {
    auto access = database_->access();
    return memory::blocked_keys(sagas_of(access.state()), tenant_id, rows_max);
  }
  Result<std::vector<SagaFailures>> failures(std::string_view tenant_id, std::string_view definition,
                                             std::size_t rows_max, std::size_t looked_max) override {
    auto access = database_->access();
    return memory::failures(sagas_of(access.state()), tenant_id, definition, rows_max, looked_max);
  }
  Result<SagaStatisticsPage> statistics(const SagaStatisticsWanted& wanted) override {
    auto access = database_->access();
    return memory::statistics(sagas_of(access.state()), wanted);
  }
  Result<std::vector<Enqueued>> append(std::span<const NewMessage> requests) override {
    auto access = database_->access();
    auto appended = MAKEGOOD_TRY(append_requests(sagas_of(access.state()).requests, requests, clock_.now()));
    access.changed();
    return appended;
  }

  Result<std::vector<SagaDefinitionRow>> definitions() override {
    auto access = database_->access();
    std::vector<SagaDefinitionRow> newest;
    for (const auto& [key, row] : sagas_of(access.state()).definitions) {
      if (!newest.empty() && newest.back().name == row.name) newest.pop_back();
      newest.push_back(row);
    }
    return newest;
  }
  Result<std::vector<SagaDefinitionRow>> versions(std::string_view name) override {
    auto access = database_->access();
    std::vector<SagaDefinitionRow> versions;
    for (const auto& [key, row] : sagas_of(access.state()).definitions) {
      if (key.first == name) versions.push_back(row);
    }
    return versions;
  }
  Result<std::optional<SagaDefinitionRow>> definition(std::string_view name, std::int64_t version) override {
    auto access = database_->access();
    return definition_of(sagas_of(access.state()), name, version);
  }
  Result<std::int64_t> put_definition(const SagaDefinitionRow& row) override {
    MAKEGOOD_TRY(check_definition_row(row));
    auto access = database_->access();
    SagaLog& log = sagas_of(access.state());
    const auto newest = definition_of(log, row.name, 0);
    const auto there = row.version > 0 ? definition_of(log, row.name, row.version) : newest;
    const DefinitionPlace place = MAKEGOOD_TRY(place_definition(row, newest, there));
    if (!place.is_new) return place.version;
    SagaDefinitionRow added = row;
    added.version = place.version;
    added.created_at = clock_.now();
    log.definitions.emplace(std::pair(row.name, place.version), std::move(added));
    append_own(log.requests, define_request(row.name, place.version), clock_.now());
    access.changed();
    return place.version;
  }
  Result<std::string> callback_key() override {
    auto access = database_->access();
    std::string& key = sagas_of(access.state()).callback_key;
    while (key.size() < callback_key_digits) key += fmt::format("{:016x}", seed_of_the_system());
    return key;
  }

 private:
  const std::shared_ptr<Database> database_;
  const Clock& clock_;
};

}  // namespace

std::unique_ptr<SagaStore> open_saga_store(std::shared_ptr<Database> database, const Clock& clock,
                                           std::string environment) {
  return std::make_unique<Sagas>(std::move(database), clock, std::move(environment));
}

std::unique_ptr<SagaView> open_saga_view(std::shared_ptr<Database> database, const Clock& clock) {
  return std::make_unique<SagasView>(std::move(database), clock);
}

}  // namespace makegood::memory
