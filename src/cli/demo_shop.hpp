// The shop of the demo: orders and the messages about them, each pair in one SQLite transaction.
#pragma once

#include <sqlite3.h>

#include <memory>
#include <optional>
#include <string>

#include "makegood/result.hpp"
#include "makegood/sqlite.hpp"

namespace makegood::cli {

class DemoShop {
 public:
  static Result<DemoShop> open(const std::string& path, const sqlite::EnqueueOptions& options);

  /// An order and its PaymentSucceeded, in one transaction; the number of the message.
  Result<Sequence> place_order(int order);
  /// The same, and then the customer changes their mind: nothing of it remains.
  Result<> roll_an_order_back(int order);
  /// One number from the database.
  Result<std::int64_t> count(const std::string& sql);

 private:
  struct Close {
    void operator()(sqlite3* db) const noexcept { sqlite3_close_v2(db); }
  };
  using Database = std::unique_ptr<sqlite3, Close>;

  DemoShop(Database db, sqlite::Enqueuer enqueuer) : db_(std::move(db)), enqueuer_(std::move(enqueuer)) {}
  Result<Enqueued> write_order(int order);
  Result<> run(const std::string& sql);

  Database db_;
  sqlite::Enqueuer enqueuer_;  // After the connection: its statements must go first.
};

}  // namespace makegood::cli
