#include "stores/sqlite/sagas.hpp"

#include "makegood_store_sqlite_sql.hpp"
#include "stores/sql/sagas_view.hpp"
#include "stores/sql/transaction.hpp"
#include "stores/sqlite/migrate.hpp"
#include "stores/sqlite/sqlite.hpp"

namespace makegood::sqlite {

Result<> Sagas::migrate() {
  MAKEGOOD_TRY(migrate_sagas(connection_));
  return sqlite::migrate(connection_.handle(), outbox_.name());
}

Result<std::optional<Taken>> Sagas::take(const Owner& owner, Duration lease, const Owner& former) {
  MAKEGOOD_TRY(check_saga_version(connection_));
  upkeeper_.forget();
  return log_.take(owner, lease, former);
}

/// From one snapshot.
Result<std::vector<SagaLoaded>> Sagas::load(std::span<const Sequence> executions) {
  const auto snapshot = MAKEGOOD_TRY(relational::Transaction::begin_read(connection_));
  return tables_.load(executions);
}

Result<Committed> Sagas::commit(const SagaTurn& turn) {
  MAKEGOOD_TRY(upkeeper_.prepare(turn));
  auto committed = log_.commit(turn.turn, [&](TimePoint at, Committed& also) -> Result<> {
    MAKEGOOD_TRY(write(turn, at));
    return upkeeper_.has_work(turn) ? upkeeper_.write(turn, at, also) : Result<>();
  });
  if (!committed) upkeeper_.forget();
  return committed;
}

/// What goes makes room for what comes: an execution may be parked anew, and may end again.
Result<> Sagas::write(const SagaTurn& turn, TimePoint at) {
  if (turn.turn.is_reset) return connection_.run_script(connection_.outbox().into(sql::reset_sagas));
  MAKEGOOD_TRY(set_back(turn.turn));
  for (const JournalRow& row : turn.journal) MAKEGOOD_TRY(append_row(row));
  for (const Sequence execution : turn.reopened) MAKEGOOD_TRY(connection_.execute(sql::reopen, execution));
  for (const SagaEnd& end : turn.ends) MAKEGOOD_TRY(append_end(end, at));
  for (const Sequence execution : turn.unparked) MAKEGOOD_TRY(connection_.execute(sql::remove_waiting, execution));
  for (const SagaParked& parked : turn.parked) MAKEGOOD_TRY(put_waiting(parked));
  for (const SagaKeyHeld& key : turn.keys_taken) {
    MAKEGOOD_TRY(connection_.execute(sql::take_key, key.tenant_id, key.key, key.execution, key.id));
  }
  for (const SagaKeyHeld& key : turn.keys_left) MAKEGOOD_TRY(pass_on(key, at));
  MAKEGOOD_TRY(tell(told_, outbox_.name(), turn.messages));
  return tell(asked_, connection_.outbox().name(), turn.requests);
}

Result<> Sagas::append_row(const JournalRow& row) {
  Rows rows = MAKEGOOD_TRY(connection_.query(sql::append_journal, row.execution, row.revision));
  rows.bind_borrowed_blob(3, row.records);
  return rows.finish();
}

Result<> Sagas::append_end(const SagaEnd& end, TimePoint at) {
  const SagaSummary& of = end.summary;
  return connection_.execute(sql::append_end, of.execution, of.tenant_id, of.id, of.definition, of.version,
                             to_string(of.state), of.step, of.code, of.error, to_milliseconds(of.started_at),
                             to_milliseconds(at), end.revision, end.output, end.open);
}

Result<> Sagas::put_waiting(const SagaParked& parked) {
  const SagaSummary& of = parked.summary;
  return connection_.execute(sql::put_waiting, of.execution, of.tenant_id, of.id, of.definition, of.version,
                             to_string(of.state), of.waits_for, of.step, of.code, of.error,
                             to_milliseconds(of.started_at), milliseconds_or_null(parked.due_at), parked.key);
}

Result<> Sagas::pass_on(const SagaKeyHeld& key, TimePoint at) {
  MAKEGOOD_TRY(connection_.execute(sql::call_for_key, key.tenant_id, key.key, key.execution, to_milliseconds(at)));
  MAKEGOOD_TRY(connection_.execute(sql::pass_key, key.tenant_id, key.key, key.execution));
  return connection_.execute(sql::drop_key, key.tenant_id, key.key, key.execution);
}

Result<> Sagas::set_back(const Turn& turn) {
  if (turn.set_back <= Duration::zero()) return {};
  const auto by = std::chrono::ceil<std::chrono::milliseconds>(turn.set_back).count();
  const TimePoint was = turn.position.clock + turn.set_back;
  return connection_.execute(sql::set_back_waiting, std::int64_t{by}, to_milliseconds(was));
}

/// What is there under its event id stays: an execution that ends again after a failover tells of it once.
Result<> Sagas::tell(std::optional<MessageWriter>& writer, const std::string& log,
                     std::span<const NewMessage> messages) {
  if (messages.empty()) return {};
  if (!writer) {
    const EnqueueOptions options{.outbox = log, .content_bytes_max = content_bytes_highest};
    writer.emplace(MAKEGOOD_TRY(MessageWriter::open(connection_.handle(), options, clock_, ids_)));
  }
  for (const NewMessage& message : messages) MAKEGOOD_TRY(writer->tell_once(message));
  return {};
}

Result<std::unique_ptr<SagaStore>> open_saga_store(std::string_view path, const SagaStoreOptions& options,
                                                   const Clock& clock, Ids& ids) {
  const Identifier log = MAKEGOOD_TRY(Identifier::from(options.log));
  Identifier outbox = MAKEGOOD_TRY(Identifier::from(options.outbox));
  Connection connection = MAKEGOOD_TRY(Connection::open(path, log));
  return std::unique_ptr<SagaStore>(
      std::make_unique<Sagas>(std::move(connection), std::move(outbox), clock, ids, options.environment));
}

Result<std::unique_ptr<SagaView>> open_saga_view(std::string_view path, const SagaStoreOptions& options,
                                                 const Clock& clock, Ids& ids) {
  const Identifier log = MAKEGOOD_TRY(Identifier::from(options.log));
  auto connection = std::make_unique<Connection>(MAKEGOOD_TRY(Connection::open_existing(path, log)));
  // Before anything is changed in a file that may be somebody else's.
  MAKEGOOD_TRY(check_version(*connection));
  MAKEGOOD_TRY(check_saga_version(*connection));
  MAKEGOOD_TRY(connection->use_write_ahead_log());
  const EnqueueOptions rules{.outbox = log.name(), .content_bytes_max = content_bytes_highest};
  const auto writer =
      std::make_shared<MessageWriter>(MAKEGOOD_TRY(MessageWriter::open(connection->handle(), rules, clock, ids)));
  const auto append = [writer](std::span<const NewMessage> requests) { return writer->write_requests(requests); };
  return std::unique_ptr<SagaView>(std::make_unique<relational::SagasView>(std::move(connection), &clock, append));
}

}  // namespace makegood::sqlite
