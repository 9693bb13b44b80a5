#include "bench/bare_sqlite.hpp"

#include <fmt/format.h>

#include <cstdlib>

#include "bench/business.hpp"
#include "makegood/id.hpp"

namespace makegood::bench {
namespace {

constexpr const char* insert_sql =
    "INSERT INTO makegood_outbox (event_id, tenant_id, topic, payload, headers, content_type, created_at)"
    " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
constexpr const char* read_sql =
    "SELECT sequence, event_id, tenant_id, topic, dispatch_key, payload, body, content_type, headers, envelope_id,"
    " traceparent, tracestate, priority, created_at, available_at, expires_at"
    " FROM makegood_outbox WHERE sequence > ?1 ORDER BY sequence LIMIT ?2";
constexpr const char* append_sql =
    "INSERT INTO makegood_outbox_turn (lane, turn, owner, at, lease_until, locked, reached, settled, position)"
    " VALUES (1, ?1, 'bare', 0, 0, 0, ?2, ?2, ?3)";

void check(int code, sqlite3* db) {
  if (code == SQLITE_OK || code == SQLITE_DONE || code == SQLITE_ROW) return;
  fmt::print(stderr, "bare SQLite failed: {}\n", sqlite3_errmsg(db));
  std::exit(1);
}

void bind_text(sqlite3_stmt* statement, int index, std::string_view text) {
  sqlite3_bind_text(statement, index, text.data(), static_cast<int>(text.size()), SQLITE_STATIC);
}

}  // namespace

BareSqlite::BareSqlite(const std::string& path) {
  sqlite3* db = nullptr;
  check(sqlite3_open(path.c_str(), &db), db);
  db_.reset(db);
  sqlite3_busy_timeout(db, 5000);
  run("PRAGMA journal_mode=WAL");
  run("PRAGMA synchronous=FULL");
  run(business_table_of_sqlite);
  begin_ = prepare("BEGIN IMMEDIATE");
  commit_ = prepare("COMMIT");
  business_ = prepare(business_sql);
  insert_ = prepare(insert_sql);
  version_ = prepare("PRAGMA data_version");
  read_ = prepare(read_sql);
  append_ = prepare(append_sql);
}

void BareSqlite::run(const char* sql) { check(sqlite3_exec(db_.get(), sql, nullptr, nullptr, nullptr), db_.get()); }

BareSqlite::Statement BareSqlite::prepare(const char* sql) {
  sqlite3_stmt* statement = nullptr;
  check(sqlite3_prepare_v3(db_.get(), sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, nullptr), db_.get());
  return Statement(statement);
}

void BareSqlite::step(const Statement& statement) {
  check(sqlite3_step(statement.get()), db_.get());
  sqlite3_reset(statement.get());
}

void BareSqlite::order(const NewMessage& message, std::size_t count) {
  step(begin_);
  add_business_row();
  insert_all(message, count);
  step(commit_);
}

void BareSqlite::insert(const NewMessage& message, std::size_t count) {
  step(begin_);
  insert_all(message, count);
  step(commit_);
}

void BareSqlite::insert_all(const NewMessage& message, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const std::string event_id = new_uuid7();
    sqlite3_stmt* statement = insert_.get();
    bind_text(statement, 1, event_id);
    bind_text(statement, 2, message.tenant_id);
    bind_text(statement, 3, message.topic);
    bind_text(statement, 4, message.payload);
    bind_text(statement, 5, R"({"source":"bench","version":"1"})");
    bind_text(statement, 6, "application/json");
    sqlite3_bind_int64(statement, 7, to_milliseconds(system_clock().now()));
    step(insert_);
  }
}

std::size_t BareSqlite::read_and_append(std::size_t count) {
  sqlite3_stmt* statement = read_.get();
  sqlite3_bind_int64(statement, 1, reached_);
  sqlite3_bind_int64(statement, 2, static_cast<sqlite3_int64>(count));
  std::size_t rows = 0;
  std::size_t touched = 0;
  for (; sqlite3_step(statement) == SQLITE_ROW; ++rows) {
    reached_ = sqlite3_column_int64(statement, 0);
    for (int column = 1; column < 12; ++column) {
      const void* text = sqlite3_column_blob(statement, column);
      touched += text == nullptr ? 0 : static_cast<std::size_t>(sqlite3_column_bytes(statement, column));
    }
    for (int column = 12; column < 16; ++column)
      touched += static_cast<std::size_t>(sqlite3_column_int64(statement, column));
  }
  sqlite3_reset(statement);
  if (rows > 0 && touched > 0) append_turn();
  return rows;
}

void BareSqlite::append_turn() {
  const std::string position = fmt::format(R"({{"reached":{},"open":[],"under_way":{{}}}})", reached_);
  step(begin_);
  sqlite3_bind_int64(append_.get(), 1, ++turn_);
  sqlite3_bind_int64(append_.get(), 2, reached_);
  bind_text(append_.get(), 3, position);
  step(append_);
  step(commit_);
}

}  // namespace makegood::bench
