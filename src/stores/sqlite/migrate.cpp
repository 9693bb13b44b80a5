#include "stores/sqlite/migrate.hpp"

#include <fmt/format.h>

#include <array>

#include "makegood/sqlite.hpp"
#include "makegood_store_sqlite_sql.hpp"
#include "stores/sql/migrations.hpp"
#include "stores/sql/transaction.hpp"
#include "stores/sqlite/incarnation.hpp"
#include "stores/sqlite/sqlite.hpp"

namespace makegood::sqlite {
namespace {

using relational::Migration;
using relational::MigrationSeries;

constexpr std::array migrations = {
    Migration{1, "outbox", sql::migration_0001_outbox, sql::migration_0001_outbox_down},
    Migration{2, "side_lanes", sql::migration_0002_side_lanes, sql::migration_0002_side_lanes_down},
    Migration{3, "operators", sql::migration_0003_operators, sql::migration_0003_operators_down},
    Migration{4, "status", sql::migration_0004_status, sql::migration_0004_status_down},
    Migration{5, "changed_at", sql::migration_0005_changed_at, sql::migration_0005_changed_at_down},
    Migration{6, "turn_rows", sql::migration_0006_turn_rows, sql::migration_0006_turn_rows_down},
    Migration{7, "log_mark", sql::migration_0007_log_mark, sql::migration_0007_log_mark_down, sql::status_views},
    Migration{8, "deletes", sql::migration_0008_deletes, sql::migration_0008_deletes_down},
    Migration{9, "answered", sql::migration_0009_answered, sql::migration_0009_answered_down},
    Migration{10, "traits", sql::migration_0010_traits, sql::migration_0010_traits_down},
    Migration{11, "replay", sql::migration_0011_replay, sql::migration_0011_replay_down},
};
const std::string bail_out =
    "-- Whoever runs this stops at the first error, as with `sqlite3 -bail`: a step counts on the one before.\n";

constexpr MigrationSeries of_outboxes{.migrations = migrations, .number = sql::migration_number};

constexpr std::array saga_migrations = {
    Migration{1, "sagas", sql::saga_migration_0001_sagas, sql::saga_migration_0001_sagas_down},
    Migration{2, "views", sql::saga_migration_0002_views, sql::saga_migration_0002_views_down},
    Migration{3, "keys", sql::saga_migration_0003_keys, sql::saga_migration_0003_keys_down},
    Migration{4, "repin", sql::saga_migration_0004_repin, sql::saga_migration_0004_repin_down, sql::saga_views},
    Migration{5, "summary", sql::saga_migration_0005_summary, sql::saga_migration_0005_summary_down},
};
constexpr MigrationSeries of_sagas{
    .migrations = saga_migrations, .suffix = "_journal", .number = sql::saga_migration_number};

constexpr std::array source_migrations = {
    Migration{1, "sources", sql::source_migration_0001_sources, sql::source_migration_0001_sources_down},
};
constexpr MigrationSeries of_sources{
    .migrations = source_migrations, .suffix = "_source", .number = sql::source_migration_number};

/// Everything that one migration does, and its own record.
std::string script_of(const MigrationSeries& series, const Migration& migration, const Identifier& outbox) {
  return fmt::format("{}\nINSERT INTO makegood_migration (outbox, number, name) VALUES ('{}{}', {}, '{}');\n",
                     outbox.into(text_of(migration)), outbox.name(), series.suffix, migration.number, migration.name);
}

/// 0 when there are none.
Result<std::int64_t> current_number(Connection& connection, const MigrationSeries& series) {
  if (MAKEGOOD_TRY(connection.number(sql::has_migrations)) == 0) return std::int64_t{0};
  return connection.number(series.number);
}

/// True when there was something to do.
Result<bool> apply_next(Connection& connection, const MigrationSeries& series) {
  auto transaction = MAKEGOOD_TRY(relational::Transaction::begin_write(connection));
  MAKEGOOD_TRY(connection.run_script(sql::migration_0000_store));
  const std::int64_t current = MAKEGOOD_TRY(current_number(connection, series));
  MAKEGOOD_TRY(relational::check_not_newer(current, series.newest()));
  if (current == series.newest()) return false;
  const Migration& next = series.migrations[static_cast<std::size_t>(current)];
  MAKEGOOD_TRY(connection.run_script(script_of(series, next, connection.outbox())));
  if (&next == &migrations.back()) MAKEGOOD_TRY(record_first_traits(connection));
  MAKEGOOD_TRY(transaction.commit());
  return true;
}

Result<> migrate(Connection& connection, const MigrationSeries& series) {
  if (connection.is_in_transaction()) {
    return Error{Errc::invalid, "Migrate outside of a transaction: each migration has one of its own."};
  }
  // The usual case needs no write lock.
  if (MAKEGOOD_TRY(current_number(connection, series)) == series.newest()) return {};
  while (MAKEGOOD_TRY(apply_next(connection, series))) {
  }
  return {};
}

std::string script_of(const MigrationSeries& series, const Identifier& outbox) {
  std::string script;
  for (const Migration& migration : series.migrations) {
    script += fmt::format("-- {:04} {}\nBEGIN IMMEDIATE;\n{}\n{}COMMIT;\n", migration.number, migration.name,
                          sql::migration_0000_store, script_of(series, migration, outbox));
  }
  return script;
}

Result<> take_back(Connection& connection, const MigrationSeries& series) {
  for (auto migration = series.migrations.rbegin(); migration != series.migrations.rend(); ++migration) {
    MAKEGOOD_TRY(connection.run_script(connection.outbox().into(migration->down)));
  }
  return {};
}

/// There is nothing of it: it may be another one that is meant.
Result<> refuse_missing(Connection& connection) {
  std::string others;
  if (MAKEGOOD_TRY(connection.number(sql::has_migrations)) != 0) {
    Rows rows = MAKEGOOD_TRY(connection.query(sql::known_outboxes));
    if (MAKEGOOD_TRY(rows.next())) others = rows.text(0);
  }
  return relational::missing_outbox(connection.outbox().name(), others);
}

}  // namespace

Result<> check_version(Connection& connection) {
  const std::int64_t current = MAKEGOOD_TRY(current_number(connection, of_outboxes));
  if (current == 0) return refuse_missing(connection);
  return relational::check_version(current, of_outboxes.newest());
}

Result<> check_saga_version(Connection& connection) {
  const std::string command = fmt::format("makegood migrate --saga-log {}", connection.outbox().name());
  return relational::check_version(MAKEGOOD_TRY(current_number(connection, of_sagas)), of_sagas.newest(), command);
}

Result<> migrate(Connection& connection) { return migrate(connection, of_outboxes); }

Result<> migrate_sagas(Connection& connection) {
  MAKEGOOD_TRY(migrate(connection, of_outboxes));
  return migrate(connection, of_sagas);
}

Result<> migrate_sources(Connection& connection) { return migrate(connection, of_sources); }

Result<> migrate(sqlite3* db, std::string_view outbox) {
  Connection connection = Connection::borrow(db, MAKEGOOD_TRY(Identifier::from(outbox)));
  return migrate(connection);
}

Result<std::string> migration_script(std::string_view outbox) {
  const Identifier identifier = MAKEGOOD_TRY(Identifier::from(outbox));
  return bail_out + script_of(of_outboxes, identifier);
}

Result<SagaTablesState> saga_tables_state(std::string_view path, std::string_view log) {
  const Identifier identifier = MAKEGOOD_TRY(Identifier::from(log));
  Connection connection = MAKEGOOD_TRY(Connection::open_existing(path, identifier));
  const auto state_of = [&](const MigrationSeries& series) -> Result<SagaTablesState> {
    return relational::state_of_tables(MAKEGOOD_TRY(current_number(connection, series)), series.newest());
  };
  const SagaTablesState state = MAKEGOOD_TRY(state_of(of_sagas));
  return state == SagaTablesState::current ? state_of(of_outboxes) : state;
}

Result<std::string> saga_migration_script(std::string_view log) {
  const Identifier identifier = MAKEGOOD_TRY(Identifier::from(log));
  return bail_out + script_of(of_outboxes, identifier) + script_of(of_sagas, identifier);
}

Result<std::string> source_migration_script(std::string_view outbox) {
  const Identifier identifier = MAKEGOOD_TRY(Identifier::from(outbox));
  return bail_out + script_of(of_sources, identifier);
}

Result<> migrate_down(std::string_view path, std::string_view outbox, bool even_if_pending) {
  const Identifier identifier = MAKEGOOD_TRY(Identifier::from(outbox));
  Connection connection = MAKEGOOD_TRY(Connection::open_existing(path, identifier));
  auto transaction = MAKEGOOD_TRY(relational::Transaction::begin_write(connection));
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

}  // namespace makegood::sqlite
