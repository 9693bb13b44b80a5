#include "stores/sql/sagas_view.hpp"

#include "base/saga_versions.hpp"
#include "stores/sql/transaction.hpp"

namespace makegood::relational {

Result<std::optional<Sequence>> SagasView::find(std::string_view tenant_id, std::string_view id) {
  const Transaction snapshot = MAKEGOOD_TRY(Transaction::begin_read(database_));
  return tables_.find(tenant_id, id);
}

Result<std::optional<SagaLoaded>> SagasView::load(Sequence execution) {
  const Transaction snapshot = MAKEGOOD_TRY(Transaction::begin_read(database_));
  std::vector<SagaLoaded> loaded = MAKEGOOD_TRY(tables_.load({&execution, 1}));
  if (loaded.empty()) return std::optional<SagaLoaded>();
  return std::optional(std::move(loaded.front()));
}

Result<std::optional<SagaParked>> SagasView::parked(Sequence execution) {
  const Transaction snapshot = MAKEGOOD_TRY(Transaction::begin_read(database_));
  return tables_.parked(execution);
}

Result<SagaPage> SagasView::list(const SagaFilter& filter, Sequence before, std::size_t rows_max,
                                 std::size_t looked_max) {
  const Transaction snapshot = MAKEGOOD_TRY(Transaction::begin_read(database_));
  MAKEGOOD_TRY(database_.execute(database_.statements().sagas.saga_list_settings));
  SagaPage page = MAKEGOOD_TRY(list_sagas(database_, filter, before, rows_max, looked_max));
  const RowsPtr upkeep = MAKEGOOD_TRY(database_.one(database_.statements().sagas.read_upkeep));
  page.purged_count = upkeep->count(1);
  page.purged_before = upkeep->time_or_null(2);
  return page;
}

Result<std::vector<SagaCounts>> SagasView::counts() {
  const Transaction snapshot = MAKEGOOD_TRY(Transaction::begin_read(database_));
  MAKEGOOD_TRY(database_.execute(database_.statements().sagas.saga_list_settings));
  return count_sagas(database_);
}

Result<std::vector<SagaBlockedKey>> SagasView::blocked_keys(std::string_view tenant_id, std::size_t rows_max) {
  const Transaction snapshot = MAKEGOOD_TRY(Transaction::begin_read(database_));
  return tables_.blocked_keys(tenant_id, rows_max);
}

Result<std::vector<SagaFailures>> SagasView::failures(std::string_view tenant_id, std::string_view definition,
                                                      std::size_t rows_max, std::size_t looked_max) {
  const Transaction snapshot = MAKEGOOD_TRY(Transaction::begin_read(database_));
  return failures_of_sagas(database_, tenant_id, definition, rows_max, looked_max);
}

Result<SagaStatisticsPage> SagasView::statistics(const SagaStatisticsWanted& wanted) {
  const Transaction snapshot = MAKEGOOD_TRY(Transaction::begin_read(database_));
  MAKEGOOD_TRY(database_.execute(database_.statements().sagas.saga_list_settings));
  return statistics_of_sagas(database_, wanted);
}

Result<std::vector<Enqueued>> SagasView::append(std::span<const NewMessage> requests) {
  Transaction transaction = MAKEGOOD_TRY(Transaction::begin_write(database_));
  auto appended = MAKEGOOD_TRY(append_(requests));
  MAKEGOOD_TRY(transaction.commit());
  return appended;
}

Result<std::vector<SagaDefinitionRow>> SagasView::definitions() {
  const Transaction snapshot = MAKEGOOD_TRY(Transaction::begin_read(database_));
  return tables_.newest_definitions();
}

Result<std::vector<SagaDefinitionRow>> SagasView::versions(std::string_view name) {
  const Transaction snapshot = MAKEGOOD_TRY(Transaction::begin_read(database_));
  return tables_.versions(name);
}

Result<std::optional<SagaDefinitionRow>> SagasView::definition(std::string_view name, std::int64_t version) {
  const Transaction snapshot = MAKEGOOD_TRY(Transaction::begin_read(database_));
  return tables_.definition(name, version);
}

Result<std::int64_t> SagasView::put_definition(const SagaDefinitionRow& row) {
  MAKEGOOD_TRY(check_definition_row(row));
  Transaction transaction = MAKEGOOD_TRY(Transaction::begin_write(database_));
  MAKEGOOD_TRY(database_.execute(database_.statements().sagas.lock_definition, row.name));
  const auto newest = MAKEGOOD_TRY(tables_.definition(row.name, 0));
  auto there = newest;
  if (row.version > 0) there = MAKEGOOD_TRY(tables_.definition(row.name, row.version));
  const DefinitionPlace place = MAKEGOOD_TRY(place_definition(row, newest, there));
  if (!place.is_new) return place.version;
  MAKEGOOD_TRY(append_definition(row, place.version));
  MAKEGOOD_TRY(transaction.commit());
  return place.version;
}

Result<std::string> SagasView::callback_key() {
  const Transaction snapshot = MAKEGOOD_TRY(Transaction::begin_read(database_));
  return tables_.callback_key();
}

Result<> SagasView::append_definition(const SagaDefinitionRow& row, std::int64_t version) {
  std::optional<TimePoint> now;
  if (instead_ != nullptr) now = std::chrono::floor<std::chrono::milliseconds>(instead_->now());
  MAKEGOOD_TRY(database_.execute(database_.statements().sagas.append_definition, row.name, version, row.document,
                                 row.source, now));
  const NewMessage told = define_request(row.name, version);
  MAKEGOOD_TRY(append_({&told, 1}));
  return {};
}

}  // namespace makegood::relational
