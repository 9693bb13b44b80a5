#include "stores/postgres/key_migrations.hpp"

#include <fmt/format.h>

#include <array>

#include "makegood_store_postgres_sql.hpp"
#include "stores/postgres/keys.hpp"
#include "stores/postgres/migrate.hpp"
#include "stores/postgres/postgres.hpp"
#include "stores/sql/transaction.hpp"

namespace makegood::postgres {
namespace {

using relational::Migration;

constexpr std::array key_migrations = {
    Migration{1, "keys", sql::idempotency_0001_keys, sql::idempotency_0001_keys_down},
    Migration{2, "sql", sql::idempotency_0002_sql, sql::idempotency_0002_sql_down},
    Migration{3, "inbox", sql::idempotency_0003_inbox, sql::idempotency_0003_inbox_down},
};
constexpr relational::MigrationSeries of_keys{.migrations = key_migrations, .number = sql::migration_number};
constexpr int newest_of_keys = key_migrations.back().number;

Result<> make_schema_of_keys(Connection& connection) {
  const std::string& schema = connection.outbox().schema();
  if (schema.empty() || MAKEGOOD_TRY(connection.number(sql::has_schema, quoted(schema))) != 0) return {};
  return connection.run_script(create_schema(connection.outbox()));
}

Result<bool> apply_next_of_keys(Connection& connection) {
  auto transaction = MAKEGOOD_TRY(relational::Transaction::begin_write(connection));
  MAKEGOOD_TRY(connection.execute(sql::migration_lock));
  const std::int64_t current = MAKEGOOD_TRY(current_number(connection, of_keys));
  MAKEGOOD_TRY(relational::check_not_newer(current, newest_of_keys));
  if (current == newest_of_keys) return false;
  MAKEGOOD_TRY(make_schema_of_keys(connection));
  MAKEGOOD_TRY(connection.run_script(connection.outbox().into(sql::migration_0000_store)));
  const Migration& next = key_migrations.at(static_cast<std::size_t>(current));
  MAKEGOOD_TRY(connection.run_script(script_of(of_keys, next, connection.outbox())));
  MAKEGOOD_TRY(transaction.commit());
  return true;
}

}  // namespace

Result<> migrate_keys(Connection& connection) {
  MAKEGOOD_TRY(connection.reconnect_if_lost());
  if (MAKEGOOD_TRY(current_number(connection, of_keys)) == newest_of_keys) return {};
  while (MAKEGOOD_TRY(apply_next_of_keys(connection))) {
  }
  return {};
}

Result<std::string> key_migration_script(std::string_view schema) {
  const Identifier series = MAKEGOOD_TRY(key_series_in(schema));
  std::string script;
  for (const Migration& migration : key_migrations) {
    script += fmt::format("-- idempotency {:04} {}\nBEGIN;\n{};\n{}{}\n{}COMMIT;\n", migration.number, migration.name,
                          sql::migration_lock, create_schema(series), series.into(sql::migration_0000_store),
                          script_of(of_keys, migration, series));
  }
  return script;
}

Result<> migrate_keys_down(std::string_view url, std::string_view schema) {
  const Identifier series = MAKEGOOD_TRY(key_series_in(schema));
  Connection connection = MAKEGOOD_TRY(Connection::open(std::string(url), series));
  auto transaction = MAKEGOOD_TRY(relational::Transaction::begin_write(connection));
  MAKEGOOD_TRY(connection.execute(sql::migration_lock));
  const std::int64_t current = MAKEGOOD_TRY(current_number(connection, of_keys));
  MAKEGOOD_TRY(relational::check_version(current, newest_of_keys));
  for (auto migration = key_migrations.rbegin(); migration != key_migrations.rend(); ++migration) {
    MAKEGOOD_TRY(connection.run_script(series.into(migration->down)));
  }
  return transaction.commit();
}

}  // namespace makegood::postgres
