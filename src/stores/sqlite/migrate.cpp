#include "stores/sqlite/migrate.hpp"

#include <fmt/format.h>

#include <array>

#include "makegood/sqlite.hpp"
#include "makegood_store_sqlite_sql.hpp"
#include "stores/sqlite/failure.hpp"
#include "stores/sqlite/incarnation.hpp"
#include "stores/sqlite/sqlite.hpp"
#include "stores/sqlite/transaction.hpp"

namespace makegood::sqlite {
namespace {

struct Migration {
  int number;
  std::string_view name;
  std::string_view up;
  std::string_view down;
};

constexpr std::array migrations = {
    Migration{1, "outbox", sql::migration_0001_outbox, sql::migration_0001_outbox_down},
    Migration{2, "side_lanes", sql::migration_0002_side_lanes, sql::migration_0002_side_lanes_down},
    Migration{3, "operators", sql::migration_0003_operators, sql::migration_0003_operators_down},
    Migration{4, "status", sql::migration_0004_status, sql::migration_0004_status_down},
    Migration{5, "changed_at", sql::migration_0005_changed_at, sql::migration_0005_changed_at_down},
    Migration{6, "turn_rows", sql::migration_0006_turn_rows, sql::migration_0006_turn_rows_down},
};
constexpr int newest = migrations.back().number;

/// Everything that one migration does, and its own record.
std::string script_of(const Migration& migration, const Identifier& outbox) {
  return fmt::format("{}\nINSERT INTO makegood_migration (outbox, number, name) VALUES ('{}', {}, '{}');\n",
                     outbox.into(migration.up), outbox.name(), migration.number, migration.name);
}

/// 0 when there are none.
Result<std::int64_t> current_number(Connection& connection) {
  if (MAKEGOOD_TRY(connection.number(sql::has_migrations)) == 0) return std::int64_t{0};
  return connection.number(sql::migration_number);
}

Error newer_tables(std::int64_t number) {
  return {Errc::schema_mismatch,
          fmt::format("The outbox's tables are of a newer version ({}; this one knows {}); run a newer makegood.",
                      number, newest)};
}

/// True when there was something to do.
Result<bool> apply_next(Connection& connection) {
  auto transaction = MAKEGOOD_TRY(Transaction::begin_write(connection));
  MAKEGOOD_TRY(connection.run_script(sql::migration_0000_store));
  const std::int64_t current = MAKEGOOD_TRY(current_number(connection));
  if (current > newest) return newer_tables(current);
  if (current == newest) return false;
  const Migration& next = migrations.at(static_cast<std::size_t>(current));
  MAKEGOOD_TRY(connection.run_script(script_of(next, connection.outbox())));
  MAKEGOOD_TRY(record_first_inode(connection));
  MAKEGOOD_TRY(transaction.commit());
  return true;
}

}  // namespace

Result<> check_version(Connection& connection) {
  const std::int64_t current = MAKEGOOD_TRY(current_number(connection));
  if (current > newest) return newer_tables(current);
  if (current < newest) return missing_tables(fmt::format("migration {} of {}", current, newest));
  return {};
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
  auto transaction = MAKEGOOD_TRY(Transaction::begin_write(connection));
  MAKEGOOD_TRY(check_version(connection));
  if (!even_if_pending && MAKEGOOD_TRY(connection.number(sql::has_undelivered)) != 0) {
    return Error{Errc::conflict,
                 fmt::format("{} holds messages that were not delivered; nothing was dropped.", outbox)};
  }
  for (auto migration = migrations.rbegin(); migration != migrations.rend(); ++migration) {
    MAKEGOOD_TRY(connection.run_script(identifier.into(migration->down)));
  }
  return transaction.commit();
}

}  // namespace makegood::sqlite
