#include <fmt/format.h>

#include <exception>
#include <optional>

#include "makegood/postgres.hpp"
#include "makegood/spi/assert.hpp"
#include "stores/postgres/postgres.hpp"
#include "tests/crash/database.hpp"
#include "tests/support/postgres_schema.hpp"

namespace makegood::crash {
namespace {

using testing_support::PostgresClient;
using testing_support::PostgresSchema;
using AnswerPtr = std::unique_ptr<PGresult, decltype([](PGresult* result) { PQclear(result); })>;

// Two who make it at the same time wait for each other.
constexpr const char* orders_on_a_server =
    "SELECT pg_advisory_xact_lock(hashtext(current_schema()), 0);"
    "CREATE TABLE IF NOT EXISTS orders (number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, event_id text NOT NULL,"
    "dispatch_key text NOT NULL, payload text NOT NULL, filler text)";
// Whatever a table, its columns, its rules, an index or a view is made of, without the name of the schema.
constexpr const char* tables_on_a_server =
    "SELECT relname, relkind, attname, format_type(atttypid, atttypmod), attnotnull,"
    "       replace(coalesce(pg_get_expr(adbin, adrelid), ''), current_schema() || '.', ''),"
    "       CASE relkind WHEN 'i' THEN replace(pg_get_indexdef(c.oid), current_schema() || '.', '')"
    "                    WHEN 'v' THEN replace(pg_get_viewdef(c.oid), current_schema() || '.', '') END "
    "FROM pg_class AS c JOIN pg_attribute AS a ON attrelid = c.oid AND attnum > 0 AND NOT attisdropped "
    "LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum "
    "WHERE relnamespace = current_schema()::regnamespace AND relname LIKE 'makegood%' "
    "UNION ALL "
    "SELECT conrelid::regclass::name, 'constraint', conname, pg_get_constraintdef(oid), NULL, NULL, NULL "
    "FROM pg_constraint WHERE connamespace = current_schema()::regnamespace AND conrelid::regclass::text LIKE "
    "'makegood%' "
    "ORDER BY 1, 2, 3";

bool is_well(const AnswerPtr& answer) {
  const ExecStatusType status = PQresultStatus(answer.get());
  return status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK;
}

class PostgresDatabase final : public Database {
 public:
  explicit PostgresDatabase(const std::string& url) : client_(url) {}

  bool run(const std::string& sql) override { return is_well(AnswerPtr(PQexec(client_.handle(), sql.c_str()))); }
  std::vector<Line> ask(const std::string& sql) override;
  void wait_at_most(std::chrono::milliseconds time) override {
    run(fmt::format("SET lock_timeout = {}", time.count()));
  }

  Result<> open_shop() override;
  bool begin() override { return run("BEGIN"); }
  bool is_in_transaction() const override {
    const PGTransactionStatusType status = PQtransactionStatus(client_.handle());
    return status == PQTRANS_INTRANS || status == PQTRANS_INERROR;
  }
  bool lock(const std::string& key) override {
    return run(fmt::format("SELECT pg_advisory_xact_lock(hashtext(current_schema()), hashtext('key {}'))", key));
  }
  bool enqueue(const NewMessage& message) override { return enqueuer_->enqueue(message).has_value(); }
  Result<> commit() override { return postgres::commit(client_.handle()); }

  Violations check_integrity() override { return {}; }  // The server has not crashed.
  Violations check_tables() override;

 private:
  PostgresClient client_;
  std::optional<postgres::Enqueuer> enqueuer_;  // Gone before the connection.
};

std::vector<Line> PostgresDatabase::ask(const std::string& sql) {
  const AnswerPtr answer(PQexec(client_.handle(), sql.c_str()));
  if (!is_well(answer)) return {{PQerrorMessage(client_.handle())}};
  std::vector<Line> rows(static_cast<std::size_t>(PQntuples(answer.get())));
  for (std::size_t row = 0; row < rows.size(); ++row) {
    for (int column = 0; column < PQnfields(answer.get()); ++column) {
      rows[row].emplace_back(PQgetvalue(answer.get(), static_cast<int>(row), column));
    }
  }
  return rows;
}

Result<> PostgresDatabase::open_shop() {
  if (!run(orders_on_a_server)) {
    return Error{Errc::store_unavailable, "The shop cannot use its database.", PQerrorMessage(client_.handle())};
  }
  enqueuer_ = MAKEGOOD_TRY(postgres::Enqueuer::open(client_.handle()));
  return {};
}

std::vector<Line> tables_of_a_new_schema() {
  const PostgresSchema schema;
  auto store = postgres::open_store(schema.url_within(), "makegood_outbox");
  MAKEGOOD_ASSERT(store && (*store)->migrate());
  return PostgresDatabase(schema.url_within()).ask(tables_on_a_server);
}

Violations PostgresDatabase::check_tables() {
  static const std::vector<Line> fresh = tables_of_a_new_schema();
  if (ask(tables_on_a_server) == fresh) return {};
  return {"P11: the tables are not those of a new schema"};
}

}  // namespace

Result<std::unique_ptr<Database>> open_postgres_database(const std::string& url) {
  try {
    return std::unique_ptr<Database>(std::make_unique<PostgresDatabase>(url));
  } catch (const std::exception& error) {
    return Error{Errc::store_unavailable, "The server cannot be reached.", error.what()};
  }
}

}  // namespace makegood::crash
