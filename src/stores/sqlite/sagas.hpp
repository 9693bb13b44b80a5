// The store of sagas: a log of requests like any outbox's, and the tables beside it.
#pragma once

#include "stores/sql/saga_tables.hpp"
#include "stores/sql/saga_upkeep.hpp"
#include "stores/sqlite/store.hpp"

namespace makegood::sqlite {

class Sagas final : public SagaStore {
 public:
  /// `connection` sees the log; `outbox` is where executions tell of their end.
  Sagas(Connection connection, Identifier outbox, const Clock& clock, Ids& ids, std::string environment)
      : clock_(clock),
        ids_(ids),
        outbox_(std::move(outbox)),
        log_(std::move(connection), clock, ids, std::move(environment)) {}

  StoreFeatures features() const override { return log_.features(); }
  Result<> migrate() override;
  Result<std::vector<Enqueued>> append(std::span<const NewMessage> requests) override {
    return log_.append_requests(requests);
  }
  Result<std::optional<Taken>> take(const Owner& owner, Duration lease, const Owner& former) override;
  Result<Found> look(const LookFor& wanted) override { return log_.look(wanted); }
  bool has_changed() override { return log_.has_changed(); }
  int change_descriptor() const override { return log_.change_descriptor(); }

  Result<std::vector<Sequence>> unfinished(Sequence from, Sequence to, std::size_t rows_max) override {
    return tables_.unfinished(from, to, rows_max);
  }
  Result<std::vector<Sequence>> due(TimePoint now, std::size_t rows_max) override { return tables_.due(now, rows_max); }
  Result<std::optional<TimePoint>> next_due() override { return tables_.next_due(); }
  Result<std::optional<Sequence>> find(std::string_view tenant_id, std::string_view id) override {
    return tables_.find(tenant_id, id);
  }
  Result<std::vector<SagaLoaded>> load(std::span<const Sequence> executions) override;
  Result<std::optional<SagaDefinitionRow>> definition(std::string_view name, std::int64_t version) override {
    return tables_.definition(name, version);
  }
  Result<std::optional<SagaKeyHeld>> key_holder(std::string_view tenant_id, std::string_view key) override {
    return tables_.key_holder(tenant_id, key);
  }
  Result<Committed> commit(const SagaTurn& turn) override;

 private:
  Result<> write(const SagaTurn& turn, TimePoint at);
  Result<> append_row(const JournalRow& row);
  Result<> append_end(const SagaEnd& end, TimePoint at);
  Result<> put_waiting(const SagaParked& parked);
  Result<> pass_on(const SagaKeyHeld& key, TimePoint at);
  Result<> set_back(const Turn& turn);
  Result<> tell(std::optional<MessageWriter>& writer, const std::string& log, std::span<const NewMessage> messages);

  const Clock& clock_;
  Ids& ids_;
  const Identifier outbox_;
  Store log_;
  Connection& connection_ = log_.connection();
  relational::SagaTables tables_{connection_};
  // Opened when first needed, and gone before the connection.
  std::optional<MessageWriter> told_;   ///< To the outbox.
  std::optional<MessageWriter> asked_;  ///< To this log: what executions ask of each other.
  relational::SagaUpkeeper upkeeper_{connection_};
};

}  // namespace makegood::sqlite
