#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <utility>

#include "makegood/postgres.hpp"
#include "stores/postgres/postgres.hpp"
#include "tests/conformance/delete_suite.hpp"
#include "tests/conformance/log_mark_suite.hpp"
#include "tests/conformance/status_suite.hpp"
#include "tests/support/postgres_schema.hpp"

namespace makegood::conformance {
namespace {

using testing_support::PostgresClient;
using testing_support::PostgresSchema;

constexpr std::size_t room_for_large = std::size_t{2} << 20;

template <class T>
T or_throw(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().message + " (" + result.error().diagnostics + ")");
  return *std::move(result);
}

/// A program with a connection and a transaction of its own.
class PostgresProducer final : public Producer {
 public:
  PostgresProducer(const PostgresSchema& schema, const std::string& name)
      : client_(schema.url()),
        enqueuer_(or_throw(
            postgres::Enqueuer::open(client_.handle(), {.outbox = name, .content_bytes_max = room_for_large}))) {
    client_.run("BEGIN");
  }

  Result<Enqueued> enqueue(const NewMessage& message) override { return enqueuer_.enqueue(message); }
  Result<> commit() override { return postgres::commit(client_.handle()); }

 private:
  PostgresClient client_;
  postgres::Enqueuer enqueuer_;  // Gone before the connection.
};

class PostgresShell final : public SqlShell {
 public:
  explicit PostgresShell(const PostgresSchema& schema) : client_(schema.url_within()) {
    client_.run("SET TimeZone = 'UTC'; SET datestyle = 'ISO'");
  }

  std::string ask(const std::string& sql) override {
    const Answer answer(PQexec(client_.handle(), sql.c_str()));
    const ExecStatusType status = PQresultStatus(answer.get());
    if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK) {
      throw std::runtime_error(PQresultErrorMessage(answer.get()));
    }
    std::string text;
    for (int row = 0; row < PQntuples(answer.get()); ++row) {
      if (row > 0) text += ';';
      for (int column = 0; column < PQnfields(answer.get()); ++column) {
        text += (column > 0 ? "|" : "") + value(answer.get(), row, column);
      }
    }
    return text;
  }
  std::string columns_of(const std::string& table) override {
    return ask("SELECT string_agg(attname, ' ' ORDER BY attnum) FROM pg_attribute WHERE attnum > 0 AND attrelid = '" +
               table + "'::regclass");
  }

 private:
  using Answer = std::unique_ptr<PGresult, decltype([](PGresult* result) { PQclear(result); })>;

  static std::string value(const PGresult* answer, int row, int column) {
    constexpr Oid boolean = 16;
    constexpr Oid timestamptz = 1184;
    if (PQgetisnull(answer, row, column) != 0) return "NULL";
    std::string text = PQgetvalue(answer, row, column);
    if (PQftype(answer, column) == boolean) return text == "t" ? "1" : "0";
    if (PQftype(answer, column) == timestamptz) return in_milliseconds(text.substr(0, text.find('+')));
    return text;
  }
  /// PostgreSQL leaves zeros at the end of a second out.
  static std::string in_milliseconds(std::string time) {
    constexpr std::size_t length = std::string_view("2024-05-17 09:00:00.000").size();
    if (time.find('.') == std::string::npos) time += '.';
    time.resize(length, '0');
    return time;
  }

  PostgresClient client_;
};

class PostgresUnderTest final : public StoreUnderTest {
 public:
  std::unique_ptr<OutboxStore> connect() override {
    auto store = or_throw(postgres::open_store(schema_.url(), outbox_, {.instead = &clock}));
    if (const auto migrated = store->migrate(); !migrated) {
      throw std::runtime_error(migrated.error().message + migrated.error().diagnostics);
    }
    return store;
  }
  std::unique_ptr<OutboxView> connect_view() override {
    return or_throw(postgres::open_outbox_view(schema_.url(), outbox_, &clock));
  }
  std::unique_ptr<Producer> begin() override { return std::make_unique<PostgresProducer>(schema_, outbox_); }
  std::unique_ptr<SqlShell> open_shell() override { return std::make_unique<PostgresShell>(schema_); }
  void set_counter(Sequence counter) override {
    const std::string value = counter > 0 ? std::to_string(counter) + ", true" : "1, false";
    open_shell()->ask("SELECT setval('makegood_outbox_number', " + value + ")");
  }
  void remove_row(Sequence sequence) override {
    without_triggers("DELETE FROM makegood_outbox WHERE sequence = " + std::to_string(sequence));
  }
  void empty_log() override { without_triggers("TRUNCATE makegood_outbox"); }

 private:
  void without_triggers(const std::string& sql) {
    open_shell()->ask("ALTER TABLE makegood_outbox DISABLE TRIGGER USER; " + sql +
                      "; ALTER TABLE makegood_outbox ENABLE TRIGGER USER");
  }

  const PostgresSchema schema_;
  const std::string outbox_ = schema_.in("makegood_outbox");
};

/// None without a server, and a test says so.
std::vector<StoreKind> postgres_stores() {
  if (testing_support::postgres_url().empty()) return {};
  return {{"postgres", [] { return std::make_unique<PostgresUnderTest>(); }}};
}
INSTANTIATE_TEST_SUITE_P(Postgres, LogMarkSuite, ::testing::ValuesIn(postgres_stores()),
                         ::testing::PrintToStringParamName());
INSTANTIATE_TEST_SUITE_P(Postgres, StoreSuite, ::testing::ValuesIn(postgres_stores()),
                         ::testing::PrintToStringParamName());
INSTANTIATE_TEST_SUITE_P(Postgres, StatusSuite, ::testing::ValuesIn(postgres_stores()),
                         ::testing::PrintToStringParamName());
INSTANTIATE_TEST_SUITE_P(Postgres, DeleteSuite, ::testing::ValuesIn(postgres_stores()),
                         ::testing::PrintToStringParamName());

TEST(PostgresSuite, HasAServer) {
  if (testing_support::postgres_url().empty()) GTEST_SKIP() << testing_support::no_postgres;
  EXPECT_EQ(postgres_stores().size(), 1U);
}

}  // namespace

}  // namespace makegood::conformance
