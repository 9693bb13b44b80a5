#include "stores/postgres/migrate.hpp"

#include <fmt/format.h>

#include <thread>

#include "makegood_store_postgres_sql.hpp"
#include "stores/postgres/failure.hpp"
#include "stores/postgres/lockers.hpp"
#include "stores/postgres/migration_list.hpp"
#include "stores/postgres/postgres.hpp"
#include "stores/sql/transaction.hpp"

namespace makegood::postgres {
namespace {

constexpr std::string_view record =
    "INSERT INTO {{schema}}makegood_migration (outbox, number, name) VALUES ({{text}}{}, {}, '{}');\n";

/// Who may not create schemas can still migrate in one that is there.
Result<> make_schema(Connection& connection) {
  const Identifier& outbox = connection.outbox();
  if (outbox.schema().empty()) return {};
  if (MAKEGOOD_TRY(connection.number(sql::has_schema, quoted(outbox.schema()))) != 0) return {};
  return connection.run_script(create_schema(outbox));
}

/// True when there was something to do.
Result<bool> run_next(Connection& connection, const MigrationSeries& series) {
  MAKEGOOD_TRY(connection.execute(sql::migration_lock));
  MAKEGOOD_TRY(connection.execute(sql::migration_patience));
  const std::int64_t current = MAKEGOOD_TRY(current_number(connection, series));
  MAKEGOOD_TRY(relational::check_not_newer(current, series.newest()));
  if (current == series.newest()) return false;
  MAKEGOOD_TRY(make_schema(connection));
  MAKEGOOD_TRY(connection.run_script(connection.outbox().into(sql::migration_0000_store)));
  const Migration& next = series.migrations[static_cast<std::size_t>(current)];
  MAKEGOOD_TRY(connection.run_script(script_of(series, next, connection.outbox())));
  return true;
}

Result<bool> apply_next(Connection& connection, const MigrationSeries& series) {
  auto transaction = MAKEGOOD_TRY(relational::Transaction::begin_write(connection));
  const bool has_more = MAKEGOOD_TRY(run_next(connection, series));
  if (has_more) MAKEGOOD_TRY(transaction.commit());
  return has_more;
}

/// A script tells the server's code in its diagnostics only.
bool is_locked_out(const Result<bool>& tried) {
  return !tried && tried.error().diagnostics.find(lock_not_available) != std::string::npos;
}

constexpr std::string_view tables_in_use =
    "The tables are in use by transactions that do not end; end those named here, then migrate again.";

Result<bool> apply_patiently(Connection& connection, const MigrationSeries& series, const MigrationPatience& patience) {
  for (int tries = 1;; ++tries) {
    const Result<bool> tried = apply_next(connection, series);
    if (!is_locked_out(tried)) return tried;
    const Error error = blocked_by_lockers(connection, "", tried.error(), tables_in_use);
    if (tries >= patience.tries) return error;
    std::this_thread::sleep_for(patience.pause);
  }
}

Result<> migrate(Connection& connection, const MigrationSeries& series, const MigrationPatience& patience) {
  MAKEGOOD_TRY(connection.reconnect_if_lost());
  // The usual case needs no lock, and no rights.
  if (MAKEGOOD_TRY(current_number(connection, series)) == series.newest()) return {};
  while (MAKEGOOD_TRY(apply_patiently(connection, series, patience))) {
  }
  return {};
}

std::string script_of(const MigrationSeries& series, const Identifier& outbox) {
  std::string script;
  for (const Migration& migration : series.migrations) {
    script += fmt::format("-- {:04} {}\nBEGIN;\n{};\n{};\n{}{}\n{}COMMIT;\n", migration.number, migration.name,
                          sql::migration_lock, sql::migration_patience, create_schema(outbox),
                          outbox.into(sql::migration_0000_store), script_of(series, migration, outbox));
  }
  return script;
}

Result<> take_back(Connection& connection, const MigrationSeries& series) {
  for (auto migration = series.migrations.rbegin(); migration != series.migrations.rend(); ++migration) {
    MAKEGOOD_TRY(connection.run_script(connection.outbox().into(migration->down)));
  }
  return {};
}

Result<bool> has_migrations(Connection& connection) {
  const std::string table = connection.outbox().into("{schema}makegood_migration");
  return MAKEGOOD_TRY(connection.number(sql::has_table, table)) != 0;
}

/// There is nothing of it: it may be another one that is meant.
Result<> refuse_missing(Connection& connection) {
  std::string others;
  if (MAKEGOOD_TRY(has_migrations(connection))) {
    Rows rows = MAKEGOOD_TRY(connection.query(sql::known_outboxes));
    if (rows.next()) others = rows.text(0);
  }
  return relational::missing_outbox(connection.outbox().name(), others);
}

}  // namespace

std::string script_of(const MigrationSeries& series, const Migration& migration, const Identifier& outbox) {
  const std::string suffix = series.suffix.empty() ? "" : fmt::format(" || '{}'", series.suffix);
  return outbox.into(text_of(migration)) + "\n" +
         outbox.into(fmt::format(record, suffix, migration.number, migration.name));
}

std::string create_schema(const Identifier& outbox) {
  if (outbox.schema().empty()) return {};
  return fmt::format("CREATE SCHEMA IF NOT EXISTS {};\n", quoted(outbox.schema()));
}

Result<std::int64_t> current_number(Connection& connection, const MigrationSeries& series) {
  if (!MAKEGOOD_TRY(has_migrations(connection))) return std::int64_t{0};
  return connection.number(series.number);
}

Result<> check_version(Connection& connection) {
  const std::int64_t current = MAKEGOOD_TRY(current_number(connection, of_outboxes));
  if (current == 0) return refuse_missing(connection);
  return relational::check_version(current, of_outboxes.newest());
}

Result<> check_saga_version(Connection& connection) {
  const std::string command = fmt::format("makegood migrate --saga-log {}", connection.outbox().name());
  return relational::check_version(MAKEGOOD_TRY(current_number(connection, of_sagas)), of_sagas.newest(), command);
}

Result<> migrate(Connection& connection, const MigrationPatience& patience) {
  return migrate(connection, of_outboxes, patience);
}

Result<> migrate_sagas(Connection& connection, const MigrationPatience& patience) {
  MAKEGOOD_TRY(migrate(connection, of_outboxes, patience));
  return migrate(connection, of_sagas, patience);
}

Result<> migrate_sources(Connection& connection) { return migrate(connection, of_sources, {}); }

Result<std::string> migration_script(std::string_view outbox) {
  const Identifier identifier = MAKEGOOD_TRY(Identifier::from(outbox));
  return script_of(of_outboxes, identifier);
}

Result<SagaTablesState> saga_tables_state(std::string_view url, std::string_view log) {
  const Identifier identifier = MAKEGOOD_TRY(Identifier::from(log));
  Connection connection = MAKEGOOD_TRY(Connection::open(std::string(url), identifier));
  const auto state_of = [&](const MigrationSeries& series) -> Result<SagaTablesState> {
    return relational::state_of_tables(MAKEGOOD_TRY(current_number(connection, series)), series.newest());
  };
  const SagaTablesState state = MAKEGOOD_TRY(state_of(of_sagas));
  return state == SagaTablesState::current ? state_of(of_outboxes) : state;
}

Result<std::string> saga_migration_script(std::string_view log) {
  const Identifier identifier = MAKEGOOD_TRY(Identifier::from(log));
  return script_of(of_outboxes, identifier) + script_of(of_sagas, identifier);
}

Result<std::string> source_migration_script(std::string_view outbox) {
  const Identifier identifier = MAKEGOOD_TRY(Identifier::from(outbox));
  return script_of(of_sources, identifier);
}

Result<> migrate_down(std::string_view url, std::string_view outbox, bool even_if_pending) {
  const Identifier identifier = MAKEGOOD_TRY(Identifier::from(outbox));
  Connection connection = MAKEGOOD_TRY(Connection::open(std::string(url), identifier));
  auto transaction = MAKEGOOD_TRY(relational::Transaction::begin_write(connection));
  MAKEGOOD_TRY(connection.execute(sql::migration_lock));
  MAKEGOOD_TRY(check_version(connection));
  if (!even_if_pending && MAKEGOOD_TRY(connection.number(sql::has_undelivered)) != 0) {
    return relational::undelivered_messages(outbox);
  }
  const bool has_sagas = MAKEGOOD_TRY(current_number(connection, of_sagas)) > 0;
  if (has_sagas) MAKEGOOD_TRY(take_back(connection, of_sagas));
  if (MAKEGOOD_TRY(current_number(connection, of_sources)) > 0) MAKEGOOD_TRY(take_back(connection, of_sources));
  MAKEGOOD_TRY(take_back(connection, of_outboxes));
  return transaction.commit();
}

}  // namespace makegood::postgres
