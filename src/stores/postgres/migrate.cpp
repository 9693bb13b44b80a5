#include "stores/postgres/migrate.hpp"

#include <fmt/format.h>

#include <thread>

#include "makegood_store_postgres_sql.hpp"
#include "stores/postgres/failure.hpp"
#include "stores/postgres/migration_list.hpp"
#include "stores/postgres/postgres.hpp"
#include "stores/sql/transaction.hpp"

namespace makegood::postgres {
namespace {

constexpr int newest = migrations.back().number;

constexpr std::string_view record =
    "INSERT INTO {{schema}}makegood_migration (outbox, number, name) VALUES ({{text}}, {}, '{}');\n";

/// Who may not create schemas can still migrate in one that is there.
Result<> make_schema(Connection& connection) {
  const Identifier& outbox = connection.outbox();
  if (outbox.schema().empty()) return {};
  if (MAKEGOOD_TRY(connection.number(sql::has_schema, quoted(outbox.schema()))) != 0) return {};
  return connection.run_script(create_schema(outbox));
}

/// True when there was something to do.
Result<bool> run_next(Connection& connection) {
  MAKEGOOD_TRY(connection.execute(sql::migration_lock));
  MAKEGOOD_TRY(connection.execute(sql::migration_patience));
  const std::int64_t current = MAKEGOOD_TRY(current_number(connection));
  MAKEGOOD_TRY(relational::check_not_newer(current, newest));
  if (current == newest) return false;
  MAKEGOOD_TRY(make_schema(connection));
  MAKEGOOD_TRY(connection.run_script(connection.outbox().into(sql::migration_0000_store)));
  const Migration& next = migrations.at(static_cast<std::size_t>(current));
  MAKEGOOD_TRY(connection.run_script(script_of(next, connection.outbox())));
  return true;
}

Result<bool> apply_next(Connection& connection) {
  auto transaction = MAKEGOOD_TRY(relational::Transaction::begin_write(connection));
  const bool has_more = MAKEGOOD_TRY(run_next(connection));
  if (has_more) MAKEGOOD_TRY(transaction.commit());
  return has_more;
}

/// A script tells the server's code in its diagnostics only.
bool is_locked_out(const Result<bool>& tried) {
  return !tried && tried.error().diagnostics.find(lock_not_available) != std::string::npos;
}

/// Asked right after a try, when they still have it.
Error name_who_is_waited_for(Connection& connection, Error error) {
  auto rows = connection.query(sql::turn_lockers, connection.outbox().qualified(""));
  if (!rows) return error;
  error.message = "The tables are in use by transactions that do not end; end those named here, then migrate again.";
  while (rows->next()) {
    error.diagnostics += fmt::format("; waits for process {} ({}, {}, {})", rows->integer(0), rows->text(1),
                                     rows->text(2), rows->text(3));
  }
  return error;
}

Result<bool> apply_patiently(Connection& connection, const MigrationPatience& patience) {
  for (int tries = 1;; ++tries) {
    const Result<bool> tried = apply_next(connection);
    if (!is_locked_out(tried)) return tried;
    const Error error = name_who_is_waited_for(connection, tried.error());
    if (tries >= patience.tries) return error;
    std::this_thread::sleep_for(patience.pause);
  }
}

}  // namespace

std::string script_of(const Migration& migration, const Identifier& outbox) {
  return outbox.into(text_of(migration)) + "\n" + outbox.into(fmt::format(record, migration.number, migration.name));
}

std::string create_schema(const Identifier& outbox) {
  if (outbox.schema().empty()) return {};
  return fmt::format("CREATE SCHEMA IF NOT EXISTS {};\n", quoted(outbox.schema()));
}

Result<std::int64_t> current_number(Connection& connection) {
  const std::string table = connection.outbox().into("{schema}makegood_migration");
  if (MAKEGOOD_TRY(connection.number(sql::has_table, table)) == 0) return std::int64_t{0};
  return connection.number(sql::migration_number);
}

Result<> check_version(Connection& connection) {
  return relational::check_version(MAKEGOOD_TRY(current_number(connection)), newest);
}

Result<> migrate(Connection& connection, const MigrationPatience& patience) {
  MAKEGOOD_TRY(connection.reconnect_if_lost());
  // The usual case needs no lock, and no rights.
  if (MAKEGOOD_TRY(current_number(connection)) == newest) return {};
  while (MAKEGOOD_TRY(apply_patiently(connection, patience))) {
  }
  return {};
}

Result<std::string> migration_script(std::string_view outbox) {
  const Identifier identifier = MAKEGOOD_TRY(Identifier::from(outbox));
  std::string script;
  for (const Migration& migration : migrations) {
    script += fmt::format("-- {:04} {}\nBEGIN;\n{};\n{};\n{}{}\n{}COMMIT;\n", migration.number, migration.name,
                          sql::migration_lock, sql::migration_patience, create_schema(identifier),
                          identifier.into(sql::migration_0000_store), script_of(migration, identifier));
  }
  return script;
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
  for (auto migration = migrations.rbegin(); migration != migrations.rend(); ++migration) {
    MAKEGOOD_TRY(connection.run_script(identifier.into(migration->down)));
  }
  return transaction.commit();
}

}  // namespace makegood::postgres
