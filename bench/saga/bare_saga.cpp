#include "bench/saga/bare_saga.hpp"

#include <fmt/format.h>

#include <array>
#include <string>

#include "bench/bare.hpp"
#include "bench/bare_sqlite.hpp"
#include "bench/postgres_session.hpp"
#include "bench/process.hpp"

namespace makegood::bench {
namespace {

/// As many bytes as the records of a turn that has an answer and an attempt.
const std::string& records() {
  static const std::string text(120, 'r');
  return text;
}
constexpr const char* input = R"({"order":"1234567","user":1001,"cents":4200,"currency":"EUR"})";

class SqliteSaga final : public BareSaga {
 public:
  explicit SqliteSaga(const std::string& path) : db_(path) {}

  void start(std::size_t executions) override {
    db_.run("BEGIN IMMEDIATE");
    for (std::size_t i = 0; i < executions; ++i) {
      const std::string id = fmt::format("018f2f4e-5b1c-7c3a-9d2e-{:012}", ++started_);
      bind_text(start_, 1, id);
      bind_text(start_, 2, input);
      db_.step(start_);
    }
    db_.run("COMMIT");
  }

  void turn(std::size_t executions, bool is_last) override {
    db_.run("BEGIN IMMEDIATE");
    sqlite3_bind_int64(turn_.get(), 1, ++turns_);
    sqlite3_bind_int64(turn_.get(), 2, started_);
    db_.step(turn_);
    for (std::size_t i = 0; i < executions; ++i) {
      bind_number(journal_, started_ - static_cast<sqlite3_int64>(i));
      bind_text(journal_, 3, records());
      sqlite3_bind_int64(journal_.get(), 2, turns_);
      db_.step(journal_);
    }
    for (std::size_t i = 0; i < executions && is_last; ++i) {
      bind_number(end_, started_ - static_cast<sqlite3_int64>(i));
      db_.step(end_);
    }
    db_.run("COMMIT");
  }

 private:
  static void bind_number(const BareSqlite::Statement& statement, sqlite3_int64 number) {
    sqlite3_bind_int64(statement.get(), 1, number);
  }
  static void bind_text(const BareSqlite::Statement& statement, int index, std::string_view text) {
    sqlite3_bind_text(statement.get(), index, text.data(), static_cast<int>(text.size()), SQLITE_STATIC);
  }

  BareSqlite db_;
  BareSqlite::Statement start_ = db_.prepare(
      "INSERT INTO makegood_saga (event_id, tenant_id, topic, payload, content_type, created_at)"
      " VALUES (?1, 'default', 'bare', ?2, 'application/json', 0)");
  BareSqlite::Statement turn_ = db_.prepare(
      "INSERT INTO makegood_saga_turn (lane, turn, owner, at, lease_until, locked, reached, settled, position)"
      " VALUES (1, ?1, 'bare', 0, 0, 0, ?2, ?2, '{}')");
  BareSqlite::Statement journal_ =
      db_.prepare("INSERT INTO makegood_saga_journal (execution, revision, records) VALUES (?1, ?2, CAST(?3 AS BLOB))");
  BareSqlite::Statement end_ = db_.prepare(
      "INSERT INTO makegood_saga_end (execution, tenant_id, id, definition, version, state, step, code, error, "
      "started_at,"
      " ended_at, revision, output, open)"
      " VALUES (?1, 'default', '018f2f4e-5b1c-7c3a-9d2e-0123456789ab', 'bare', 1, 'completed', '', '', '', 0, 0, 3, "
      "'', '')");
  sqlite3_int64 started_ = 0;
  sqlite3_int64 turns_ = 0;
};

/// The server makes the rows itself, so that none of them travels; each commit is one statement in one round trip.
class PostgresSaga final : public BareSaga {
 public:
  explicit PostgresSaga(const std::string& url) : session_(url) {
    prepare("start",
            "INSERT INTO makegood_saga (event_id, tenant_id, topic, payload)"
            " SELECT 'bare-' || ($1::bigint - i), 'default', 'bare', $3::json FROM generate_series(0, $2::bigint - 1) "
            "AS i");
    prepare("turn", std::string("WITH ") + turn_part + journal_part);
    prepare("last", std::string("WITH ") + turn_part + ", ended AS (" + end_part + ")" + journal_part);
  }

  void start(std::size_t executions) override {
    started_ += static_cast<std::int64_t>(executions);
    run("start", {std::to_string(started_), std::to_string(executions), input});
  }
  void turn(std::size_t executions, bool is_last) override {
    ++turns_;
    run(is_last ? "last" : "turn",
        {std::to_string(started_), std::to_string(executions), records(), std::to_string(turns_)});
  }

 private:
  static constexpr const char* turn_part =
      "turn AS (INSERT INTO makegood_saga_turn (lane, turn, owner, at, lease_until, reached, settled, position)"
      " VALUES (1, $4::bigint, 'bare', clock_timestamp(), clock_timestamp(), $1::bigint, $1::bigint, '{}'))";
  static constexpr const char* journal_part =
      " INSERT INTO makegood_saga_journal (execution, revision, records)"
      " SELECT $1::bigint - i, $4::bigint, $3::bytea FROM generate_series(0, $2::bigint - 1) AS i";
  static constexpr const char* end_part =
      "INSERT INTO makegood_saga_end (execution, tenant_id, id, definition, version, state, step, code, error, "
      "started_at,"
      " ended_at, revision, output, open)"
      " SELECT $1::bigint - i, 'default', '018f2f4e-5b1c-7c3a-9d2e-0123456789ab', 'bare', 1, 'completed', '', '', '', "
      "now(),"
      " now(), 3, '', '' FROM generate_series(0, $2::bigint - 1) AS i";

  void prepare(const char* name, const std::string& sql) {
    session_.check(PQprepare(session_.handle(), name, sql.c_str(), 0, nullptr));
  }
  void run(const char* name, const std::vector<std::string>& values) {
    std::vector<const char*> pointers;
    for (const std::string& value : values) pointers.push_back(value.c_str());
    session_.check(PQexecPrepared(session_.handle(), name, static_cast<int>(pointers.size()), pointers.data(), nullptr,
                                  nullptr, 0));
  }

  PostgresSession session_;
  std::int64_t started_ = 0;
  std::int64_t turns_ = 0;
};

}  // namespace

std::unique_ptr<BareSaga> open_bare_saga(const Scratch& scratch) {
  if (scratch.is_postgres()) return std::make_unique<PostgresSaga>(scratch.url());
  return std::make_unique<SqliteSaga>(file_of(scratch.url()));
}

double bare_executions_per_second(BareSaga& bare, const BareWork& work) {
  const auto began = system_clock().monotonic();
  std::size_t done = 0;
  for (; done < work.count; done += work.in_flight) {
    bare.start(work.in_flight);
    for (std::size_t step = 0; step <= work.steps; ++step) {
      bare.turn(work.in_flight, step == work.steps);
      if (work.calls != nullptr && step < work.steps) work.calls->send(work.in_flight);
    }
  }
  return static_cast<double>(done) / seconds_since(began);
}

}  // namespace makegood::bench
