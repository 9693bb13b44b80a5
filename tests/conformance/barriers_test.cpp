// The forms of the barrier that the suite is demanded of. Plain SQL is what docs/sagas.md says, run as it stands there.
#include <libpq-fe.h>
#include <sqlite3.h>

#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>

#include "makegood/postgres.hpp"
#include "makegood/postgres_saga.hpp"
#include "makegood/sqlite_saga.hpp"
#include "tests/conformance/barrier_suite.hpp"
#include "tests/support/postgres_schema.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/unit/sqlite/database.hpp"

namespace makegood::conformance {
namespace {

using testing_support::PostgresClient;
using testing_support::PostgresSchema;

template <class T>
T or_throw(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().message + " (" + result.error().diagnostics + ")");
  return *std::move(result);
}
void or_throw(const Result<>& result) {
  if (!result) throw std::runtime_error(result.error().message + " (" + result.error().diagnostics + ")");
}

/// Columns joined by `|`, rows by `;`, on either database.
class SqliteConnection {
 public:
  explicit SqliteConnection(const std::string& path) : application_(path) { sqlite3_busy_timeout(native(), 20'000); }
  sqlite3* native() const { return application_.db(); }
  void begin() { application_.run("BEGIN IMMEDIATE"); }
  std::string ask(const std::string& sql) { return application_.ask(sql); }
  bool commit() { return application_.attempt("COMMIT").empty(); }
  void roll_back() { application_.attempt("ROLLBACK"); }

 private:
  sqlite::Application application_;
};

class PostgresConnection {
 public:
  explicit PostgresConnection(const std::string& url) : client_(url) {}
  PGconn* native() const { return client_.handle(); }
  void begin() { client_.run("BEGIN"); }
  std::string ask(const std::string& sql) {
    const std::unique_ptr<PGresult, void (*)(PGresult*)> result(PQexec(native(), sql.c_str()), PQclear);
    const ExecStatusType status = PQresultStatus(result.get());
    if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK) throw std::runtime_error(PQerrorMessage(native()));
    std::string text;
    for (int row = 0; row < PQntuples(result.get()); ++row) {
      if (row > 0) text += ';';
      for (int column = 0; column < PQnfields(result.get()); ++column) {
        text += (column > 0 ? "|" : "") + std::string(PQgetvalue(result.get(), row, column));
      }
    }
    return text;
  }
  bool commit() { return bool(postgres::commit(native())); }
  void roll_back() {
    if (PQtransactionStatus(native()) != PQTRANS_IDLE) client_.run("ROLLBACK");
  }

 private:
  PostgresClient client_;
};

class SqliteDatabase {
 public:
  using Connection = SqliteConnection;
  using Barrier = sqlite::Barrier;
  static void create_barrier(Connection& connection) { or_throw(sqlite::create_barrier(connection.native())); }
  const std::string& place() const { return path_; }

 private:
  const testing_support::TemporaryFolder folder_;
  const std::string path_ = folder_.file("participant.db");
};

class PostgresDatabase {
 public:
  using Connection = PostgresConnection;
  using Barrier = postgres::Barrier;
  static void create_barrier(Connection& connection) { or_throw(postgres::create_barrier(connection.native())); }
  const std::string& place() const { return url_; }

 private:
  const PostgresSchema schema_;
  const std::string url_ = schema_.url_within();
};

/// A transaction over one of the connections.
template <class Connection>
class OpenTransaction : public BarrierTransaction {
 public:
  explicit OpenTransaction(const std::string& place) : connection_(place) { connection_.begin(); }
  ~OpenTransaction() override { connection_.roll_back(); }
  std::string ask(const std::string& sql) override { return connection_.ask(sql); }
  bool commit() override { return connection_.commit(); }

 protected:
  Connection connection_;
};

template <class Database>
class InCpp final : public OpenTransaction<typename Database::Connection> {
 public:
  explicit InCpp(const std::string& place)
      : OpenTransaction<typename Database::Connection>(place),
        barrier_(std::make_unique<typename Database::Barrier>(
            or_throw(Database::Barrier::open(this->connection_.native())))) {}
  Result<SagaStepResult> act(const BarrierKey& key, const BarrierEffect& effect) override {
    return barrier_->act(key, effect);
  }
  Result<SagaStepResult> compensate(const BarrierKey& key, const BarrierUndo& undo) override {
    return barrier_->compensate(key, undo);
  }
  static void create(typename Database::Connection& connection) { Database::create_barrier(connection); }

 private:
  std::unique_ptr<typename Database::Barrier> barrier_;
};

/// The statements of the page, by the word that their comment begins with.
std::map<std::string, std::string> statements_of_the_page() {
  std::ifstream page(MAKEGOOD_DOCS "/sagas.md");
  std::stringstream all;
  all << page.rdbuf();
  const std::string text = all.str();
  const std::size_t begin = text.find("CREATE TABLE saga_barrier");
  std::istringstream block(text.substr(begin, text.find("```", begin) - begin));
  std::map<std::string, std::string> statements;
  std::string name = "create";
  for (std::string line; std::getline(block, line);) {
    if (line.starts_with("-- ")) {
      name = line.substr(3, line.find_first_of(":", 3) - 3);
      continue;
    }
    statements[name] += line + "\n";
  }
  return statements;
}

template <class Database>
class InPlainSql final : public OpenTransaction<typename Database::Connection> {
 public:
  using OpenTransaction<typename Database::Connection>::OpenTransaction;

  Result<SagaStepResult> act(const BarrierKey& key, const BarrierEffect& effect) override {
    if (!claim(key)) return stored(key);
    say("before", key);
    const SagaStepResult result = run(effect);
    if (result.outcome != SagaOutcome::ok && result.outcome != SagaOutcome::fail) return doomed(result);
    const bool is_done = result.outcome == SagaOutcome::ok;
    if (!is_done) say("take back", key);
    say("keep", key, is_done ? "done" : "failed", is_done ? result.output : result.code);
    return result;
  }
  Result<SagaStepResult> compensate(const BarrierKey& key, const BarrierUndo& undo) override {
    claim(key);
    std::istringstream outputs(say("undo", key));
    for (std::string output; std::getline(outputs, output, ';');) {
      const SagaStepResult result = undo(output);
      if (result.outcome != SagaOutcome::ok) return doomed(SagaStepResult::retry(result.code));
    }
    return SagaStepResult::ok();
  }
  static void create(typename Database::Connection& connection) {
    connection.ask(statements_of_the_page().at("create"));
  }

 private:
  std::string say(const std::string& name, const BarrierKey& key, const std::string& state = {},
                  const std::string& answer = {}) {
    std::string sql = statements_of_the_page().at(name);
    const std::pair<std::string, std::string> values[] = {
        {":tenant", "'" + key.tenant_id + "'"}, {":execution", "'" + key.execution + "'"},
        {":step", "'" + key.step + "'"},        {":round", std::to_string(key.round)},
        {":state", "'" + state + "'"},          {":answer", "'" + answer + "'"}};
    for (const auto& [parameter, value] : values) {
      for (std::size_t at = 0; (at = sql.find(parameter, at)) != std::string::npos; at += value.size()) {
        sql.replace(at, parameter.size(), value);
      }
    }
    return this->connection_.ask(sql);
  }
  bool claim(const BarrierKey& key) {
    return (";" + say("claim", key) + ";").find(";" + std::to_string(key.round) + ";") != std::string::npos;
  }
  SagaStepResult stored(const BarrierKey& key) {
    const std::string row = say("find", key);
    const std::string state = row.substr(0, row.find('|'));
    if (state == "done") return SagaStepResult::ok(row.substr(state.size() + 1));
    return SagaStepResult::fail(state == "failed" ? row.substr(state.size() + 1) : "COMPENSATED");
  }
  SagaStepResult run(const BarrierEffect& effect) {
    try {
      return effect();
    } catch (...) {
      this->connection_.roll_back();
      throw;
    }
  }
  SagaStepResult doomed(SagaStepResult result) {
    this->connection_.roll_back();
    return result;
  }
};

template <class Database, template <class> class Form>
class UnderTest final : public BarrierUnderTest {
 public:
  UnderTest() { Form<Database>::create(connection_); }
  std::unique_ptr<BarrierTransaction> begin() override { return std::make_unique<Form<Database>>(database_.place()); }
  std::string ask(const std::string& sql) override { return connection_.ask(sql); }

 private:
  const Database database_;
  typename Database::Connection connection_{database_.place()};
};

template <class Database, template <class> class Form>
BarrierKind kind(const std::string& name) {
  return {name, [] { return std::make_unique<UnderTest<Database, Form>>(); }};
}

/// PostgreSQL only with a server, and a test says so.
std::vector<BarrierKind> kinds() {
  std::vector<BarrierKind> kinds = {kind<SqliteDatabase, InCpp>("sqlite_cpp"),
                                    kind<SqliteDatabase, InPlainSql>("sqlite_plain_sql")};
  if (testing_support::postgres_url().empty()) return kinds;
  kinds.push_back(kind<PostgresDatabase, InCpp>("postgres_cpp"));
  kinds.push_back(kind<PostgresDatabase, InPlainSql>("postgres_plain_sql"));
  return kinds;
}

INSTANTIATE_TEST_SUITE_P(Forms, BarrierSuite, ::testing::ValuesIn(kinds()), ::testing::PrintToStringParamName());

TEST(BarrierOnPostgres, HasAServer) {
  if (testing_support::postgres_url().empty()) GTEST_SKIP() << testing_support::no_postgres;
  EXPECT_EQ(kinds().size(), 4U);
}

TEST(Barrier, NeedsATransaction) {
  const SqliteDatabase database;
  SqliteConnection connection(database.place());
  auto barrier = or_throw(sqlite::Barrier::open(connection.native()));
  const auto result = barrier.act({.execution = "e", .step = "s"}, [] { return SagaStepResult::ok(); });
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Errc::not_in_transaction);
}

TEST(Barrier, ReadsItsKeyFromTheHeadersOfARequest) {
  std::map<std::string, std::string, std::less<>> headers = {{"makegood-tenant", "default"},
                                                             {"makegood-execution", "order-1"},
                                                             {"makegood-step", "payment"},
                                                             {"makegood-direction", "action"},
                                                             {"makegood-round", "2"}};
  const auto header = [&](std::string_view name) {
    const auto found = headers.find(name);
    return found == headers.end() ? std::string() : found->second;
  };
  EXPECT_EQ(or_throw(barrier_key(header)), (BarrierKey{.execution = "order-1", .step = "payment", .round = 2}));
  headers["makegood-direction"] = "compensation";
  EXPECT_FALSE(barrier_key(header)) << "a compensation names the round of its action";
  headers["makegood-action-round"] = "3";
  EXPECT_EQ(or_throw(barrier_key(header)).round, 3U);
  headers.erase("makegood-step");
  EXPECT_FALSE(barrier_key(header));
}

}  // namespace
}  // namespace makegood::conformance
