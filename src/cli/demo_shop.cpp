#include "cli/demo_shop.hpp"

#include <fmt/format.h>

#include <utility>

namespace makegood::cli {
namespace {

Result<> run_on(sqlite3* db, const std::string& sql) {
  if (sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK) return {};
  return Error{Errc::store_unavailable, "The demo's shop cannot write to its database.", sqlite3_errmsg(db)};
}

}  // namespace

Result<DemoShop> DemoShop::open(const std::string& path, const sqlite::EnqueueOptions& options) {
  sqlite3* opened = nullptr;
  const int status = sqlite3_open(path.c_str(), &opened);
  Database db(opened);
  if (status != SQLITE_OK) return Error{Errc::store_unavailable, "The demo's database cannot be opened.", path};
  sqlite3_busy_timeout(db.get(), 5000);
  MAKEGOOD_TRY(run_on(db.get(), "PRAGMA journal_mode = WAL"));
  MAKEGOOD_TRY(run_on(db.get(), "CREATE TABLE IF NOT EXISTS shop_order (id INTEGER PRIMARY KEY, amount INTEGER)"));
  sqlite::Enqueuer enqueuer = MAKEGOOD_TRY(sqlite::Enqueuer::open(db.get(), options));
  return DemoShop(std::move(db), std::move(enqueuer));
}

Result<> DemoShop::run(const std::string& sql) { return run_on(db_.get(), sql); }

Result<Enqueued> DemoShop::write_order(int order) {
  MAKEGOOD_TRY(run("BEGIN IMMEDIATE"));
  const int amount = 1000 + order * 7;
  MAKEGOOD_TRY(run(fmt::format("INSERT INTO shop_order (id, amount) VALUES ({}, {})", order, amount)));
  return enqueuer_.enqueue(
      {.topic = "shop.payment.succeeded.v1",
       .payload = fmt::format(R"({{"invoiceId":"{}","amount":{},"currency":"EUR"}})", order, amount),
       .dispatch_key = fmt::format("order-{}", order)});
}

Result<Sequence> DemoShop::place_order(int order) {
  const Enqueued enqueued = MAKEGOOD_TRY(write_order(order));
  MAKEGOOD_TRY(run("COMMIT"));
  return enqueued.sequence;
}

Result<> DemoShop::roll_an_order_back(int order) {
  MAKEGOOD_TRY(write_order(order));
  return run("ROLLBACK");
}

Result<std::int64_t> DemoShop::count(const std::string& sql) {
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(db_.get(), sql.c_str(), -1, &statement, nullptr) != SQLITE_OK ||
      sqlite3_step(statement) != SQLITE_ROW) {
    sqlite3_finalize(statement);
    return Error{Errc::store_unavailable, "The demo cannot read its database.", sqlite3_errmsg(db_.get())};
  }
  const std::int64_t value = sqlite3_column_int64(statement, 0);
  sqlite3_finalize(statement);
  return value;
}

}  // namespace makegood::cli
