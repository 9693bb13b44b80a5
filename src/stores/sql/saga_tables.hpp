// What is read of sagas, the same on every relational database: executions, what is due of them, definitions.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "makegood/spi/saga_store.hpp"
#include "stores/sql/database.hpp"

namespace makegood::relational {

class SagaTables {
 public:
  /// `database` sees the log of the requests.
  explicit SagaTables(Database& database) : database_(database) {}

  Result<std::vector<Sequence>> unfinished(Sequence from, Sequence to, std::size_t rows_max);
  Result<std::vector<Sequence>> due(TimePoint now, std::size_t rows_max);
  Result<std::optional<TimePoint>> next_due();
  Result<std::optional<Sequence>> find(std::string_view tenant_id, std::string_view id);
  Result<std::vector<SagaLoaded>> load(std::span<const Sequence> executions);
  Result<std::optional<SagaParked>> parked(Sequence execution);
  Result<std::optional<SagaDefinitionRow>> definition(std::string_view name, std::int64_t version);
  Result<std::vector<SagaDefinitionRow>> versions(std::string_view name);
  Result<std::vector<SagaDefinitionRow>> newest_definitions();
  Result<std::string> callback_key();
  Result<std::optional<SagaKeyHeld>> key_holder(std::string_view tenant_id, std::string_view key);
  Result<std::vector<SagaBlockedKey>> blocked_keys(std::string_view tenant_id, std::size_t rows_max);

 private:
  const SagaStatements& sql() const { return database_.statements().sagas; }

  Database& database_;
};

/// The first columns of `row`.
Result<SagaSummary> read_summary(const Rows& row);

/// At most `rows_max` items; see SagaView::list.
Result<SagaPage> list_sagas(Database& database, const SagaFilter& filter, Sequence before, std::size_t rows_max,
                            std::size_t looked_max);
Result<std::vector<SagaCounts>> count_sagas(Database& database);
/// See SagaView::failures.
Result<std::vector<SagaFailures>> failures_of_sagas(Database& database, std::string_view tenant_id,
                                                    std::string_view definition, std::size_t rows_max,
                                                    std::size_t looked_max);

/// See SagaView::statistics.
Result<SagaStatisticsPage> statistics_of_sagas(Database& database, const SagaStatisticsWanted& wanted);

}  // namespace makegood::relational
