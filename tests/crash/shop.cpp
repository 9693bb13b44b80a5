#include "tests/crash/shop.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include "makegood/id.hpp"
#include "tests/crash/failpoints.hpp"

namespace makegood::crash {
namespace {

std::string_view to_string(Mood mood) {
  switch (mood) {
    case Mood::ok:
      return "ok";
    case Mood::moody:
      return "moody";
    case Mood::broken:
      return "broken";
  }
  return "";
}

Error failure(sqlite3* db) {
  return {Errc::store_unavailable, "The shop cannot use its database.", sqlite3_errmsg(db)};
}

}  // namespace

void Shop::Close::operator()(sqlite3* db) const noexcept { sqlite3_close_v2(db); }

Shop::Shop(Database db, sqlite::Enqueuer enqueuer, const Chronicle& chronicle)
    : db_(std::move(db)), enqueuer_(std::move(enqueuer)), chronicle_(chronicle) {}

Shop::~Shop() { enqueuer_.reset(); }

Result<std::unique_ptr<Shop>> Shop::open(const Place& place, const Chronicle& chronicle) {
  sqlite3* handle = nullptr;
  const int code = sqlite3_open(place.database().c_str(), &handle);
  Database db(handle);
  if (code != SQLITE_OK) return failure(handle);
  sqlite3_busy_timeout(handle, 10'000);
  // The log is brought into the file at almost every commit, so that crashes meet that too.
  constexpr const char* table =
      "PRAGMA wal_autocheckpoint = 8; CREATE TABLE IF NOT EXISTS orders (number INTEGER PRIMARY KEY AUTOINCREMENT, "
      "event_id TEXT NOT NULL, "
      "dispatch_key TEXT NOT NULL, payload TEXT NOT NULL, filler BLOB)";
  if (sqlite3_exec(handle, table, nullptr, nullptr, nullptr) != SQLITE_OK) return failure(handle);
  auto enqueuer = MAKEGOOD_TRY(sqlite::Enqueuer::open(handle));
  return std::unique_ptr<Shop>(new Shop(std::move(db), std::move(enqueuer), chronicle));
}

bool Shop::run(const std::string& sql) {
  return sqlite3_exec(db_.get(), sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK;
}

bool Shop::write(const Order& order, const std::string& event_id) {
  const std::string payload = fmt::format("\"{}:{}\"", to_string(order.mood), event_id);
  const std::string row = fmt::format(
      "INSERT INTO orders (event_id, dispatch_key, payload, filler) VALUES ('{}', '{}', '{}', zeroblob({}))", event_id,
      order.key, payload, order.filler_bytes);
  // A careless program goes on after an error. If SQLite has rolled back by itself, the message must be refused.
  const bool is_ordered = run(row);
  pass("enqueue.ordered");
  const bool is_enqueued =
      enqueuer_->enqueue({.topic = "order.placed", .payload = payload, .event_id = event_id, .dispatch_key = order.key})
          .has_value();
  pass("enqueue.inserted");
  return is_ordered && is_enqueued;
}

bool Shop::write_all(const std::vector<Order>& orders, const std::vector<std::string>& event_ids) {
  for (std::size_t i = 0; i < orders.size(); ++i) {
    if (!write(orders[i], event_ids[i])) return false;
  }
  return true;
}

bool Shop::place_orders(const std::vector<Order>& orders, End end) {
  const Step step("enqueue");
  std::vector<std::string> event_ids;
  event_ids.reserve(orders.size());
  for (std::size_t i = 0; i < orders.size(); ++i) event_ids.push_back(new_uuid7());
  pass("enqueue.before");
  note_end("begun", event_ids);
  const bool is_written = run("BEGIN IMMEDIATE") && write_all(orders, event_ids);
  if (!is_written || end == End::roll_back) {
    if (sqlite3_get_autocommit(db_.get()) == 0) run("ROLLBACK");
    note_end("rolled_back", event_ids);
    return false;
  }
  const bool is_committed = run("COMMIT");
  note_end(is_committed ? "committed" : "in_doubt", event_ids);
  if (sqlite3_get_autocommit(db_.get()) == 0) run("ROLLBACK");
  pass("enqueue.after");
  return is_committed;
}

void Shop::note_end(std::string_view end, const std::vector<std::string>& event_ids) const {
  for (const std::string& event_id : event_ids) chronicle_.note({end, event_id});
}

std::optional<std::int64_t> Shop::pending_count() {
  sqlite3_stmt* statement = nullptr;
  constexpr const char* sql = "SELECT count(*) FROM makegood_outbox_status WHERE state IN ('pending', 'leased')";
  std::optional<std::int64_t> count;
  if (sqlite3_prepare_v2(db_.get(), sql, -1, &statement, nullptr) == SQLITE_OK &&
      sqlite3_step(statement) == SQLITE_ROW) {
    count = sqlite3_column_int64(statement, 0);
  }
  sqlite3_finalize(statement);
  return count;
}

}  // namespace makegood::crash
