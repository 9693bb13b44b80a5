// An order and the message about it are written in one SQLite transaction; a handler of this program receives the
// message.
#include <sqlite3.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <makegood/makegood.hpp>
#include <makegood/sqlite.hpp>
#include <memory>
#include <semaphore>
#include <string>

namespace {

using Database = std::unique_ptr<sqlite3, decltype(&sqlite3_close)>;

/// A real program would handle its errors; this one stops at the first, as `value()` does.
void must(bool is_fine, const char* why) {
  if (is_fine) return;
  std::fprintf(stderr, "%s\n", why);
  std::exit(1);
}

Database open_database(const std::string& path) {
  sqlite3* opened = nullptr;
  const int status = sqlite3_open(path.c_str(), &opened);
  Database database(opened, sqlite3_close);
  must(status == SQLITE_OK, "The database cannot be opened.");
  sqlite3_busy_timeout(opened, 5000);  // The relay writes too, now and then.
  return database;
}

void execute(sqlite3* database, const char* sql) {
  must(sqlite3_exec(database, sql, nullptr, nullptr, nullptr) == SQLITE_OK, sqlite3_errmsg(database));
}

/// The whole point: both rows are committed, or neither is.
void place_order(sqlite3* database) {
  execute(database, "BEGIN IMMEDIATE");
  execute(database, "INSERT INTO orders (item) VALUES ('a good book')");
  const makegood::NewMessage message{
      .topic = "orders.order.placed.v1", .payload = R"({"item":"a good book"})", .dispatch_key = "order-1"};
  const auto enqueued = makegood::sqlite::enqueue(database, message).value();
  execute(database, "COMMIT");
  std::printf("committed: the order and its message, number %lld\n", static_cast<long long>(enqueued.sequence));
}

}  // namespace

int main(int argc, char** argv) {
  const std::string path = argc > 1 ? argv[1] : "hello.db";
  // A handler is called at least once for each message, on a thread of its own.
  std::counting_semaphore<> arrived(0);
  makegood::Node node = makegood::Node::open("sqlite:" + path).value();
  node.on("orders.*", "billing", [&](const makegood::Delivery& delivery) {
    std::printf("delivered: %s\n", std::string(delivery.message->content).c_str());
    arrived.release();
    return makegood::Outcome::ok();
  });
  node.start().value();

  const Database database = open_database(path);
  execute(database.get(), "CREATE TABLE IF NOT EXISTS orders (id INTEGER PRIMARY KEY, item TEXT NOT NULL)");
  place_order(database.get());
  node.wake();
  must(arrived.try_acquire_for(std::chrono::seconds(10)), "The message has not arrived.");
  node.stop();
}
