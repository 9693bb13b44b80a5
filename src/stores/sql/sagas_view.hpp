// What everybody but the owner does with sagas, the same on every relational database.
#pragma once

#include <functional>
#include <memory>

#include "stores/sql/saga_tables.hpp"

namespace makegood::relational {

class SagasView final : public SagaView {
 public:
  /// Appends starts and requests to the log, in the transaction that is under way.
  using Append = std::function<Result<std::vector<Enqueued>>(std::span<const NewMessage> requests)>;

  /// `instead`: in the place of the database's clock; null: that one.
  SagasView(std::unique_ptr<Database> connection, const Clock* instead, Append append)
      : connection_(std::move(connection)), database_(*connection_), instead_(instead), append_(std::move(append)) {}

  Result<std::optional<Sequence>> find(std::string_view tenant_id, std::string_view id) override;
  Result<std::optional<SagaLoaded>> load(Sequence execution) override;
  Result<std::optional<SagaParked>> parked(Sequence execution) override;
  Result<SagaPage> list(const SagaFilter& filter, Sequence before, std::size_t rows_max,
                        std::size_t looked_max) override;
  Result<std::vector<SagaCounts>> counts() override;
  Result<std::vector<SagaBlockedKey>> blocked_keys(std::string_view tenant_id, std::size_t rows_max) override;
  Result<std::vector<SagaFailures>> failures(std::string_view tenant_id, std::string_view definition,
                                             std::size_t rows_max, std::size_t looked_max) override;
  Result<SagaStatisticsPage> statistics(const SagaStatisticsWanted& wanted) override;
  Result<std::vector<Enqueued>> append(std::span<const NewMessage> requests) override;
  Result<std::vector<SagaDefinitionRow>> definitions() override;
  Result<std::vector<SagaDefinitionRow>> versions(std::string_view name) override;
  Result<std::optional<SagaDefinitionRow>> definition(std::string_view name, std::int64_t version) override;
  Result<std::int64_t> put_definition(const SagaDefinitionRow& row) override;
  Result<std::string> callback_key() override;

 private:
  Result<> append_definition(const SagaDefinitionRow& row, std::int64_t version);

  const std::unique_ptr<Database> connection_;
  Database& database_;
  const Clock* instead_;
  const Append append_;
  SagaTables tables_{database_};
};

}  // namespace makegood::relational
