// The store of sagas: a log of requests like any outbox's, and the tables beside it. What a turn writes to them goes to
// the server together with the turn, one statement per table.
#include <ranges>
#include <set>

#include "makegood_store_postgres_sql.hpp"
#include "stores/postgres/migrate.hpp"
#include "stores/postgres/postgres.hpp"
#include "stores/postgres/store.hpp"
#include "stores/sql/saga_tables.hpp"
#include "stores/sql/saga_upkeep.hpp"
#include "stores/sql/sagas_view.hpp"

namespace makegood::postgres {
namespace {

Array numbers_of(std::span<const Sequence> numbers) {
  Array array(Type::bigint);
  for (const Sequence number : numbers) array.add(number);
  return array;
}

/// The parameters that an end and a parked row share.
struct SummaryArrays {
  Array execution{Type::bigint}, tenant_id{Type::text}, id{Type::text}, definition{Type::text}, version{Type::bigint},
      state{Type::text}, waits_for{Type::text}, step{Type::text}, code{Type::text}, error{Type::text},
      started_at{Type::timestamptz};

  void add(const SagaSummary& summary) {
    execution.add(summary.execution);
    tenant_id.add(summary.tenant_id);
    id.add(summary.id);
    definition.add(summary.definition);
    version.add(summary.version);
    state.add(to_string(summary.state));
    waits_for.add(without_nul(summary.waits_for));
    step.add(without_nul(summary.step));
    code.add(without_nul(summary.code));
    error.add(without_nul(summary.error));
    started_at.add(summary.started_at);
  }
};

Step journal_step(std::span<const JournalRow> rows) {
  Array execution(Type::bigint);
  Array revision(Type::bigint);
  Array records(Type::bytea);
  for (const JournalRow& row : rows) {
    execution.add(row.execution);
    revision.add(row.revision);
    records.add(row.records);
  }
  Parameters values;
  for (Array* array : {&execution, &revision, &records}) values.add(std::move(*array));
  return {sql::append_journals, std::move(values)};
}

Step ends_step(std::span<const SagaEnd> ends) {
  SummaryArrays of;
  Array revision(Type::bigint);
  Array output(Type::text);
  Array open(Type::text);
  for (const SagaEnd& end : ends) {
    of.add(end.summary);
    revision.add(end.revision);
    output.add(without_nul(end.output));
    open.add(without_nul(end.open));
  }
  return {sql::append_ends, Parameters(of.execution, of.tenant_id, of.id, of.definition, of.version, of.state, of.step,
                                       of.code, of.error, of.started_at, revision, output, open, main_lane)};
}

/// A statement can change a row only once: of an execution that is parked twice, the last counts.
Step waiting_step(std::span<const SagaParked> parked) {
  SummaryArrays of;
  Array due_at(Type::timestamptz);
  Array key(Type::text);
  std::set<Sequence> added;
  for (const SagaParked& row : std::ranges::reverse_view(parked)) {
    if (!added.insert(row.summary.execution).second) continue;
    of.add(row.summary);
    row.due_at ? due_at.add(*row.due_at) : due_at.add_null();
    key.add(row.key);
  }
  return {sql::put_waiting, Parameters(of.execution, of.tenant_id, of.id, of.definition, of.version, of.state,
                                       of.waits_for, of.step, of.code, of.error, of.started_at, due_at, key)};
}

/// Tenants, keys and executions.
struct KeyArrays {
  Array tenant_id{Type::text}, key{Type::text}, execution{Type::bigint}, id{Type::text};

  explicit KeyArrays(std::span<const SagaKeyHeld> keys) {
    for (const SagaKeyHeld& held : keys) {
      tenant_id.add(held.tenant_id);
      key.add(held.key);
      execution.add(held.execution);
      id.add(held.id);
    }
  }
};

Step take_keys_step(std::span<const SagaKeyHeld> keys) {
  const KeyArrays of(keys);
  return {sql::take_saga_keys, Parameters(of.tenant_id, of.key, of.execution, of.id)};
}

Step pass_keys_step(std::span<const SagaKeyHeld> keys) {
  const KeyArrays of(keys);
  return {sql::pass_saga_keys, Parameters(of.tenant_id, of.key, of.execution, main_lane)};
}

class Sagas final : public SagaStore {
 public:
  /// `connection` sees the log; `outbox` is where executions tell of their end.
  Sagas(Connection connection, Identifier outbox, const StoreWorld& world)
      : world_(world),
        outbox_(std::move(outbox)),
        insert_messages_(outbox_.into(sql::insert_messages)),
        insert_requests_(connection.outbox().into(sql::insert_messages)),
        log_(std::move(connection), world) {}

  StoreFeatures features() const override { return log_.features(); }
  Result<> migrate() override {
    MAKEGOOD_TRY(migrate_sagas(connection_));
    Connection to_outbox = MAKEGOOD_TRY(Connection::open(connection_.url(), outbox_));
    return postgres::migrate(to_outbox);
  }
  Result<std::vector<Enqueued>> append(std::span<const NewMessage> requests) override {
    return log_.append_requests(requests);
  }
  Result<std::optional<Taken>> take(const Owner& owner, Duration lease, const Owner& former) override {
    MAKEGOOD_TRY(connection_.reconnect_if_lost());
    MAKEGOOD_TRY(check_saga_version(connection_));
    upkeeper_.forget();
    return log_.take(owner, lease, former);
  }
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
  /// Only the owner writes to the tables beside the log: what it reads of them fits together.
  Result<std::vector<SagaLoaded>> load(std::span<const Sequence> executions) override {
    return tables_.load(executions);
  }
  Result<std::optional<SagaDefinitionRow>> definition(std::string_view name, std::int64_t version) override {
    return tables_.definition(name, version);
  }
  Result<std::optional<SagaKeyHeld>> key_holder(std::string_view tenant_id, std::string_view key) override {
    return tables_.key_holder(tenant_id, key);
  }
  Result<Committed> commit(const SagaTurn& turn) override {
    const std::vector<Step> also = MAKEGOOD_TRY(steps_of(turn));
    MAKEGOOD_TRY(upkeeper_.prepare(turn));
    Store::Then then;
    if (upkeeper_.has_work(turn)) {
      then = [&](TimePoint at, Committed& committed) { return upkeeper_.write(turn, at, committed); };
    }
    auto committed = log_.commit(turn.turn, also, then);
    if (!committed) upkeeper_.forget();
    return committed;
  }

 private:
  /// What goes makes room for what comes: an execution may be parked anew, and may end again.
  Result<std::vector<Step>> steps_of(const SagaTurn& turn) const {
    std::vector<Step> steps;
    if (turn.turn.is_reset) return std::vector{Step{sql::reset_sagas, Parameters()}};
    if (turn.turn.set_back > Duration::zero()) {
      const TimePoint was = turn.turn.position.clock + turn.turn.set_back;
      steps.push_back({sql::set_back_waiting, Parameters(turn.turn.set_back.count(), was)});
    }
    if (!turn.journal.empty()) steps.push_back(journal_step(turn.journal));
    if (!turn.reopened.empty()) steps.push_back({sql::reopen, Parameters(numbers_of(turn.reopened))});
    if (!turn.ends.empty()) steps.push_back(ends_step(turn.ends));
    if (!turn.unparked.empty()) steps.push_back({sql::remove_waiting, Parameters(numbers_of(turn.unparked))});
    if (!turn.parked.empty()) steps.push_back(waiting_step(turn.parked));
    if (!turn.keys_taken.empty()) steps.push_back(take_keys_step(turn.keys_taken));
    if (!turn.keys_left.empty()) steps.push_back(pass_keys_step(turn.keys_left));
    if (!turn.messages.empty()) steps.push_back(MAKEGOOD_TRY(messages_step(insert_messages_, turn.messages)));
    if (!turn.requests.empty()) steps.push_back(MAKEGOOD_TRY(messages_step(insert_requests_, turn.requests)));
    return steps;
  }
  /// What is there under its event id stays.
  Result<Step> messages_step(std::string_view insert, std::span<const NewMessage> messages) const {
    const MessageWriter writer(
        {}, {.rules = {.content_bytes_max = content_bytes_highest, .may_tell = true}, .ids = world_.ids});
    return Step{insert, MAKEGOOD_TRY(writer.parameters(messages, log_.clock_now()))};
  }

  const StoreWorld world_;
  const Identifier outbox_;
  const std::string insert_messages_;  ///< Into that outbox. Known to the session by its address.
  const std::string insert_requests_;  ///< Likewise, into the log itself.
  Store log_;
  Connection& connection_ = log_.connection();
  relational::SagaTables tables_{connection_};
  relational::SagaUpkeeper upkeeper_{connection_};
};

}  // namespace

Result<std::unique_ptr<SagaStore>> open_saga_store(std::string_view url, const SagaStoreOptions& options,
                                                   const StoreWorld& world) {
  const Identifier log = MAKEGOOD_TRY(Identifier::from(options.log));
  Identifier outbox = MAKEGOOD_TRY(Identifier::from(options.outbox));
  StoreWorld named = world;
  named.environment = options.environment;
  Connection connection = MAKEGOOD_TRY(Connection::open(std::string(url), log, sql::session_settings));
  return std::unique_ptr<SagaStore>(std::make_unique<Sagas>(std::move(connection), std::move(outbox), named));
}

Result<std::unique_ptr<SagaView>> open_saga_view(std::string_view url, const SagaStoreOptions& options,
                                                 const StoreWorld& world) {
  const Identifier log = MAKEGOOD_TRY(Identifier::from(options.log));
  auto connection = std::make_unique<Connection>(MAKEGOOD_TRY(Connection::open(std::string(url), log)));
  MAKEGOOD_TRY(check_version(*connection));
  MAKEGOOD_TRY(check_saga_version(*connection));
  Connection& in_use = *connection;
  const auto append = [&in_use, world](std::span<const NewMessage> requests) -> Result<std::vector<Enqueued>> {
    MAKEGOOD_TRY(check_request_topics(requests));
    const auto run = [&in_use](std::string_view sql, const Parameters& values) -> Result<Rows> {
      const Step step{sql, values};
      auto rows = MAKEGOOD_TRY(in_use.run(std::span(&step, 1)));
      return std::move(rows.front());
    };
    MessageWriter writer(run,
                         {.rules = {.content_bytes_max = content_bytes_highest, .may_tell = true}, .ids = world.ids});
    std::optional<TimePoint> now;
    if (world.instead != nullptr) now = world.instead->now();
    return writer.write(requests, now);
  };
  return std::unique_ptr<SagaView>(
      std::make_unique<relational::SagasView>(std::move(connection), world.instead, append));
}

}  // namespace makegood::postgres
