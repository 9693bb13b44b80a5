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
};
constexpr int newest = migrations.back().number;

/// Everything that one migration does, and its own record.
std::string script_of(const Migration& migration, const Identifier& outbox) {
  return fmt::format("{}\nINSERT INTO makegood_migration (outbox, number, name) VALUES ('{}', {}, '{}');\n",
                     outbox.into(text_of(migration)), outbox.name(), migration.number, migration.name);
}

/// 0 when there are none.
Result<std::int64_t> current_number(Connection& connection) {
  if (MAKEGOOD_TRY(connection.number(sql::has_migrations)) == 0) return std::int64_t{0};
  return connection.number(sql::migration_number);
}

/// True when there was something to do.
Result<bool> apply_next(Connection& connection) {
  auto transaction = MAKEGOOD_TRY(relational::Transaction::begin_write(connection));
  MAKEGOOD_TRY(connection.run_script(sql::migration_0000_store));
  const std::int64_t current = MAKEGOOD_TRY(current_number(connection));
  MAKEGOOD_TRY(relational::check_not_newer(current, newest));
  if (current == newest) return false;
  const Migration& next = migrations.at(static_cast<std::size_t>(current));
  MAKEGOOD_TRY(connection.run_script(script_of(next, connection.outbox())));
  if (next.number == newest) MAKEGOOD_TRY(record_first_traits(connection));
  MAKEGOOD_TRY(transaction.commit());
  return true;
}

}  // namespace

Result<> check_version(Connection& connection) {
  return relational::check_version(MAKEGOOD_TRY(current_number(connection)), newest);
}

Result<> migrate(Connection& connection) {
  if (connection.is_in_transaction()) {
    return Error{Errc::invalid, "Migrate outside of a transaction: each migration has one of its own."};
  }
  // The usual case needs no write lock.
  if (MAKEGOOD_TRY(current_number(connection)) == newest) return {};
  while (MAKEGOOD_TRY(apply_next(connection))) {
  }
  return {};
}

Result<> migrate(sqlite3* db, std::string_view outbox) {
  Connection connection = Connection::borrow(db, MAKEGOOD_TRY(Identifier::from(outbox)));
  return migrate(connection);
}

Result<std::string> migration_script(std::string_view outbox) {
  const Identifier identifier = MAKEGOOD_TRY(Identifier::from(outbox));
  std::string script =
      "-- Whoever runs this stops at the first error, as with `sqlite3 -bail`: a step counts on the one before.\n";
  for (const Migration& migration : migrations) {
    script += fmt::format("-- {:04} {}\nBEGIN IMMEDIATE;\n{}\n{}COMMIT;\n", migration.number, migration.name,
                          sql::migration_0000_store, script_of(migration, identifier));
  }
  return script;
}

Result<> migrate_down(std::string_view path, std::string_view outbox, bool even_if_pending) {
  const Identifier identifier = MAKEGOOD_TRY(Identifier::from(outbox));
  Connection connection = MAKEGOOD_TRY(Connection::open_existing(path, identifier));
  auto transaction = MAKEGOOD_TRY(relational::Transaction::begin_write(connection));
  MAKEGOOD_TRY(check_version(connection));
  if (!even_if_pending && MAKEGOOD_TRY(connection.number(sql::has_undelivered)) != 0) {
    return relational::undelivered_messages(outbox);
  }
  for (auto migration = migrations.rbegin(); migration != migrations.rend(); ++migration) {
    MAKEGOOD_TRY(connection.run_script(identifier.into(migration->down)));
  }
  return transaction.commit();
}

}  // namespace makegood::sqlite
