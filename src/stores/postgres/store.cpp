#include "stores/postgres/store.hpp"

#include "makegood_store_postgres_sql.hpp"
#include "stores/postgres/migrate.hpp"
#include "stores/postgres/postgres.hpp"
#include "stores/sql/transaction.hpp"

namespace makegood::postgres {

Store::Store(Connection connection, const StoreWorld& world)
    : world_(world), incarnation_(world.environment), connection_(std::move(connection)), exchange_(connection_) {}

StoreFeatures Store::features() const { return {.name = "postgres", .numbers_may_stay_open = true}; }

Result<> Store::migrate() { return postgres::migrate(connection_); }

std::optional<TimePoint> Store::clock_now() const {
  if (world_.instead == nullptr) return std::nullopt;
  return world_.instead->now();
}

MessageWriter Store::writer(bool may_tell) {
  const auto run = [this](std::string_view sql, const Parameters& values) -> Result<Rows> {
    const Step step{sql, values};
    auto rows = MAKEGOOD_TRY(connection_.run(std::span(&step, 1)));
    return std::move(rows.front());
  };
  return {run, writer_options(may_tell)};
}

MessageWriter::Options Store::writer_options(bool may_tell) const {
  return {.rules = {.content_bytes_max = content_bytes_highest, .may_tell = may_tell}, .ids = world_.ids};
}

Result<std::vector<Enqueued>> Store::enqueue(std::span<const NewMessage> messages) {
  end_exchange();
  auto transaction = MAKEGOOD_TRY(relational::Transaction::begin_write(connection_));
  auto enqueued = MAKEGOOD_TRY(writer().write(messages, clock_now()));
  MAKEGOOD_TRY(transaction.commit());
  return enqueued;
}

/// The statement in a transaction of its own, which is one round trip.
Result<Rows> Store::run_committed(std::string_view sql, const Parameters& values) {
  MAKEGOOD_TRY(connection_.reconnect_if_lost());
  Pipeline pipeline(connection_);
  pipeline.add(verb::begin_write);
  pipeline.add(sql::write_settings);
  const std::size_t index = pipeline.count();
  pipeline.add(Step{sql, values});
  pipeline.add(verb::commit);
  auto answer = pipeline.run();
  if (auto committed = connection_.check_commit(answer); !committed) {
    connection_.roll_back();
    return committed.error();
  }
  return std::move((*answer)[index]);
}

Result<std::vector<Enqueued>> Store::append_requests(std::span<const NewMessage> requests) {
  MAKEGOOD_TRY(check_request_topics(requests));
  end_exchange();
  news_.expect();
  if (MessageWriter::is_one_statement(requests)) {
    const auto run = [this](std::string_view sql, const Parameters& values) { return run_committed(sql, values); };
    return MessageWriter(run, writer_options(true)).write(requests, clock_now());
  }
  auto transaction = MAKEGOOD_TRY(relational::Transaction::begin_write(connection_));
  auto appended = MAKEGOOD_TRY(writer(true).write(requests, clock_now()));
  MAKEGOOD_TRY(transaction.commit());
  return appended;
}

/// Also ends the transaction of a look that led to no turn: an idle session should hold nothing.
bool Store::has_changed() {
  end_exchange();
  read_ahead_.was_interrupted();
  return news_.has_come(connection_, open_.numbers(), world_.clock->monotonic());
}

void Store::end_exchange() {
  connection_.give_up_next();
  if (!connection_.is_lost() && connection_.is_in_transaction()) (void)connection_.execute(verb::rollback);
}

Result<std::unique_ptr<OutboxStore>> open_store(std::string_view url, std::string_view outbox,
                                                const StoreWorld& world) {
  const Identifier identifier = MAKEGOOD_TRY(Identifier::from(outbox));
  Connection connection = MAKEGOOD_TRY(Connection::open(std::string(url), identifier, sql::session_settings));
  return std::unique_ptr<OutboxStore>(std::make_unique<Store>(std::move(connection), world));
}

}  // namespace makegood::postgres
