// A producer and a relay in one process, under load, until somebody kills it.
//
//   relay_process produce DATABASE RECEIPTS SEED   orders and messages for ever, some rolled back
//   relay_process drain DATABASE RECEIPTS SEED     nothing new; ends when everything is delivered
//
// The database says what was committed: each message has a business row of the same transaction. The receipts file says
// what arrived: one line per delivery, written before the handler answers.
#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <thread>

#include "makegood/assert.hpp"
#include "makegood/id.hpp"
#include "makegood/makegood.hpp"
#include "makegood/sqlite.hpp"

namespace {

using namespace std::chrono_literals;

struct Close {
  void operator()(sqlite3* db) const noexcept { sqlite3_close_v2(db); }
};
using Database = std::unique_ptr<sqlite3, Close>;

Database open(const std::string& path) {
  sqlite3* db = nullptr;
  MAKEGOOD_ASSERT(sqlite3_open(path.c_str(), &db) == SQLITE_OK);
  sqlite3_busy_timeout(db, 10'000);
  return Database(db);
}

bool run(sqlite3* db, const std::string& sql) {
  return sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK;
}

/// One line, in one call, to a file opened for appending: it is there whole or not at all.
void receive(int receipts, const makegood::Delivery& delivery) {
  const std::string line = fmt::format("{} {}\n", delivery.message->event_id, delivery.message->content);
  MAKEGOOD_ASSERT(write(receipts, line.data(), line.size()) == static_cast<ssize_t>(line.size()));
}

void place_orders(sqlite3* db, std::mt19937& random, makegood::sqlite::Enqueuer& enqueuer) {
  const std::string key = "k" + std::to_string(random() % 4);
  MAKEGOOD_ASSERT(run(db, "BEGIN IMMEDIATE"));
  for (std::size_t i = 0; i <= random() % 4; ++i) {
    const std::string id = makegood::new_uuid7();
    MAKEGOOD_ASSERT(run(db, fmt::format("INSERT INTO orders (event_id, dispatch_key) VALUES ('{}', '{}')", id, key)));
    MAKEGOOD_ASSERT(
        enqueuer.enqueue({.topic = "order.placed", .payload = "\"" + id + "\"", .event_id = id, .dispatch_key = key}));
  }
  MAKEGOOD_ASSERT(run(db, random() % 5 == 0 ? "ROLLBACK" : "COMMIT"));
}

[[noreturn]] void produce(sqlite3* db, unsigned seed, makegood::Dispatcher& dispatcher) {
  std::mt19937 random(seed);
  auto enqueuer = makegood::sqlite::Enqueuer::open(db);
  MAKEGOOD_ASSERT(enqueuer.has_value());
  while (true) {
    place_orders(db, random, *enqueuer);
    dispatcher.wake();
  }
}

bool is_drained(sqlite3* db) {
  sqlite3_stmt* statement = nullptr;
  MAKEGOOD_ASSERT(sqlite3_prepare_v2(db,
                                     "SELECT count(*) FROM makegood_outbox_status WHERE state IN ('pending', 'leased')",
                                     -1, &statement, nullptr) == SQLITE_OK);
  MAKEGOOD_ASSERT(sqlite3_step(statement) == SQLITE_ROW);
  const bool is_none = sqlite3_column_int64(statement, 0) == 0;
  sqlite3_finalize(statement);
  return is_none;
}

}  // namespace

int main(int argc, char** argv) {
  MAKEGOOD_ASSERT(argc == 5);
  const std::string_view mode = argv[1];
  const std::string path = argv[2];
  const int receipts = ::open(argv[3], O_WRONLY | O_CREAT | O_APPEND, 0600);
  MAKEGOOD_ASSERT(receipts >= 0);

  std::atomic<unsigned> count = 0;
  makegood::Handlers handlers;
  handlers.on("*", "receipts",
              [&](const makegood::Delivery& delivery) {
                if (++count % 10 == 0) return makegood::Outcome::retry("MOODY");
                receive(receipts, delivery);
                return makegood::Outcome::ok();
              },
              {.retry = {.attempts_max = 1000, .base = 2ms, .cap = 10ms}});
  auto dispatcher = makegood::open_dispatcher("sqlite:" + path, handlers);
  MAKEGOOD_ASSERT(dispatcher.has_value());
  const Database db = open(path);
  MAKEGOOD_ASSERT(run(db.get(), "CREATE TABLE IF NOT EXISTS orders (event_id TEXT PRIMARY KEY, dispatch_key TEXT)"));
  dispatcher->start();
  if (mode == "produce") produce(db.get(), static_cast<unsigned>(std::stoul(argv[4])), *dispatcher);
  while (!is_drained(db.get())) std::this_thread::sleep_for(20ms);
  dispatcher->stop();
  return 0;
}
