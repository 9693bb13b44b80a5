#include "stores/postgres/migrate.hpp"

#include <fmt/format.h>

#include "makegood_store_postgres_sql.hpp"
#include "stores/postgres/failure.hpp"
#include "stores/postgres/migration_list.hpp"
#include "stores/postgres/postgres.hpp"
#include "stores/postgres/transaction.hpp"

namespace makegood::postgres {
namespace {

constexpr int newest = migrations.back().number;

constexpr std::string_view record =
    "INSERT INTO {{schema}}makegood_migration (outbox, number, name) VALUES ({{text}}, {}, '{}');\n";

/// Everything that one migration does, and its own record.
std::string script_of(const Migration& migration, const Identifier& outbox) {
  return outbox.into(migration.up) + "\n" + outbox.into(fmt::format(record, migration.number, migration.name));
}

std::string create_schema(const Identifier& outbox) {
  return fmt::format("CREATE SCHEMA IF NOT EXISTS {};\n", quoted(outbox.schema()));
}

/// 0 when there are none.
Result<std::int64_t> current_number(Connection& connection) {
  const std::string table = connection.outbox().into("{schema}makegood_migration");
  if (MAKEGOOD_TRY(connection.number(sql::has_table, table)) == 0) return std::int64_t{0};
  return connection.number(sql::migration_number);
}

Error newer_tables(std::int64_t number) {
  return {Errc::schema_mismatch,
          fmt::format("The outbox's tables are of a newer version ({}; this one knows {}); run a newer makegood.",
                      number, newest)};
}

/// Who may not create schemas can still migrate in one that is there.
Result<> make_schema(Connection& connection) {
  const Identifier& outbox = connection.outbox();
  if (outbox.schema().empty()) return {};
  if (MAKEGOOD_TRY(connection.number(sql::has_schema, quoted(outbox.schema()))) != 0) return {};
  return connection.run_script(create_schema(outbox));
}

/// True when there was something to do.
Result<bool> apply_next(Connection& connection) {
  auto transaction = MAKEGOOD_TRY(Transaction::begin_write(connection));
  MAKEGOOD_TRY(connection.execute(sql::migration_lock));
  const std::int64_t current = MAKEGOOD_TRY(current_number(connection));
  if (current > newest) return newer_tables(current);
  if (current == newest) return false;
  MAKEGOOD_TRY(make_schema(connection));
  MAKEGOOD_TRY(connection.run_script(connection.outbox().into(sql::migration_0000_store)));
  const Migration& next = migrations.at(static_cast<std::size_t>(current));
  MAKEGOOD_TRY(connection.run_script(script_of(next, connection.outbox())));
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
  MAKEGOOD_TRY(connection.reconnect_if_lost());
  // The usual case needs no lock, and no rights.
  if (MAKEGOOD_TRY(current_number(connection)) == newest) return {};
  while (MAKEGOOD_TRY(apply_next(connection))) {
  }
  return {};
}

Result<std::string> migration_script(std::string_view outbox) {
  const Identifier identifier = MAKEGOOD_TRY(Identifier::from(outbox));
  std::string script;
  for (const Migration& migration : migrations) {
    script += fmt::format("-- {:04} {}\nBEGIN;\n{};\n{}{}\n{}COMMIT;\n", migration.number, migration.name,
                          sql::migration_lock, identifier.schema().empty() ? "" : create_schema(identifier),
                          identifier.into(sql::migration_0000_store), script_of(migration, identifier));
  }
  return script;
}

Result<> migrate_down(std::string_view url, std::string_view outbox, bool even_if_pending) {
  const Identifier identifier = MAKEGOOD_TRY(Identifier::from(outbox));
  Connection connection = MAKEGOOD_TRY(Connection::open(std::string(url), identifier));
  auto transaction = MAKEGOOD_TRY(Transaction::begin_write(connection));
  MAKEGOOD_TRY(connection.execute(sql::migration_lock));
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

}  // namespace makegood::postgres
