#include "stores/sqlite/key_migrations.hpp"

#include <fmt/format.h>

#include <array>

#include "makegood_store_sqlite_sql.hpp"
#include "stores/sql/migrations.hpp"
#include "stores/sql/transaction.hpp"
#include "stores/sqlite/sqlite.hpp"

namespace makegood::sqlite {
namespace {

using relational::Migration;

constexpr std::array key_migrations = {
    Migration{1, "keys", sql::idempotency_0001_keys, sql::idempotency_0001_keys_down},
    Migration{2, "sql", sql::idempotency_0002_sql, sql::idempotency_0002_sql_down},
    Migration{3, "inbox", sql::idempotency_0003_inbox, sql::idempotency_0003_inbox_down},
};
constexpr int newest_of_keys = key_migrations.back().number;

std::string script_of_keys(const Migration& migration) {
  return fmt::format("{}\nINSERT INTO makegood_migration (outbox, number, name) VALUES ('{}', {}, '{}');\n",
                     migration.up, key_series, migration.number, migration.name);
}

Result<std::int64_t> current_of_keys(Connection& connection) {
  if (MAKEGOOD_TRY(connection.number(sql::has_migrations)) == 0) return std::int64_t{0};
  return connection.number(sql::migration_number);
}

Result<bool> apply_next_of_keys(Connection& connection) {
  auto transaction = MAKEGOOD_TRY(relational::Transaction::begin_write(connection));
  MAKEGOOD_TRY(connection.run_script(sql::migration_0000_store));
  const std::int64_t current = MAKEGOOD_TRY(current_of_keys(connection));
  MAKEGOOD_TRY(relational::check_not_newer(current, newest_of_keys));
  if (current == newest_of_keys) return false;
  MAKEGOOD_TRY(connection.run_script(script_of_keys(key_migrations.at(static_cast<std::size_t>(current)))));
  MAKEGOOD_TRY(transaction.commit());
  return true;
}

}  // namespace

Result<> check_key_version(Connection& connection) {
  return relational::check_version(MAKEGOOD_TRY(current_of_keys(connection)), newest_of_keys);
}

Result<> migrate_keys(Connection& connection) {
  if (connection.is_in_transaction()) {
    return Error{Errc::invalid, "Migrate outside of a transaction: each migration has one of its own."};
  }
  if (MAKEGOOD_TRY(current_of_keys(connection)) == newest_of_keys) return {};
  while (MAKEGOOD_TRY(apply_next_of_keys(connection))) {
  }
  return {};
}

std::string key_migration_script() {
  std::string script;
  for (const Migration& migration : key_migrations) {
    script += fmt::format("-- idempotency {:04} {}\nBEGIN IMMEDIATE;\n{}\n{}COMMIT;\n", migration.number,
                          migration.name, sql::migration_0000_store, script_of_keys(migration));
  }
  return script;
}

Result<> migrate_keys_down(std::string_view path) {
  const Identifier series = MAKEGOOD_TRY(Identifier::from(key_series));
  Connection connection = MAKEGOOD_TRY(Connection::open_existing(path, series));
  auto transaction = MAKEGOOD_TRY(relational::Transaction::begin_write(connection));
  MAKEGOOD_TRY(check_key_version(connection));
  for (auto migration = key_migrations.rbegin(); migration != key_migrations.rend(); ++migration) {
    MAKEGOOD_TRY(connection.run_script(series.into(migration->down)));
  }
  return transaction.commit();
}

}  // namespace makegood::sqlite
