#include "demo/shop.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "makegood/sqlite_saga.hpp"

namespace makegood::demo {
namespace {

constexpr int customers = 5;

Result<> run_in_shop(sqlite3* db, const std::string& sql) {
  if (sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK) return {};
  return Error{Errc::store_unavailable, "The demo's shop cannot write to its database.", sqlite3_errmsg(db)};
}

int amount_of(int order) { return 1000 + order * 7; }

std::string time_of_day_now() {
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  return fmt::format("{:%FT%TZ}", fmt::gmtime(std::chrono::system_clock::to_time_t(now)));
}

}  // namespace

Result<DemoShop> DemoShop::open(const std::string& path) {
  sqlite3* opened = nullptr;
  const int status = sqlite3_open(path.c_str(), &opened);
  Database db(opened);
  if (status != SQLITE_OK) return Error{Errc::store_unavailable, "The demo's database cannot be opened.", path};
  sqlite3_busy_timeout(db.get(), 5000);
  MAKEGOOD_TRY(run_in_shop(db.get(),
                           "CREATE TABLE IF NOT EXISTS invoice (id INTEGER PRIMARY KEY, customer TEXT, total INTEGER, "
                           "paid INTEGER NOT NULL DEFAULT 0);"
                           "CREATE TABLE IF NOT EXISTS placed_order (id INTEGER PRIMARY KEY)"));
  sqlite::Enqueuer enqueuer = MAKEGOOD_TRY(sqlite::Enqueuer::open(db.get()));
  return DemoShop(std::move(db), std::move(enqueuer));
}

std::string DemoShop::customer_of(int order) { return fmt::format("customer-{}", order % customers + 1); }

Result<Sequence> DemoShop::write(const std::string& sql, NewMessage message, const char* end) {
  message.tenant_id = "acme";
  MAKEGOOD_TRY(run_in_shop(db_.get(), "BEGIN IMMEDIATE"));
  const Result<> is_written = run_in_shop(db_.get(), sql);
  const Result<Enqueued> enqueued =
      is_written ? enqueuer_.enqueue(message) : Result<Enqueued>(Error(is_written.error()));
  MAKEGOOD_TRY(run_in_shop(db_.get(), enqueued ? end : "ROLLBACK"));
  if (!enqueued) return enqueued.error();
  return enqueued->sequence;
}

Result<Sequence> DemoShop::generate_invoice(int order) {
  return write(fmt::format("INSERT INTO invoice (id, customer, total) VALUES ({}, '{}', {})", order, customer_of(order),
                           amount_of(order)),
               {.topic = "billing.invoice.generated.v1",
                .payload = fmt::format(R"({{"tenantId":"acme","invoiceId":"inv-{}","periodStart":"2026-10-01",)"
                                       R"("periodEnd":"2026-10-31","total":{},"currency":"EUR"}})",
                                       order, amount_of(order)),
                .dispatch_key = customer_of(order)});
}

Result<Sequence> DemoShop::pay(int order, bool is_declined) {
  return write(fmt::format("UPDATE invoice SET paid = paid + {} WHERE id = {}", amount_of(order), order),
               {.topic = "billing.payment.succeeded.v1",
                .payload = fmt::format(R"({{"tenantId":"acme","invoiceId":"inv-{0}","transactionId":"tx-{0}",)"
                                       R"("paymentMethod":"card","amount":{1},"currency":"EUR","occurredTime":"{2}"}})",
                                       order, amount_of(order), time_of_day_now()),
                .dispatch_key = customer_of(order)},
               is_declined ? "ROLLBACK" : "COMMIT");
}

Result<Sequence> DemoShop::refund(int order) {
  return write(fmt::format("UPDATE invoice SET paid = paid - 100 WHERE id = {}", order),
               {.topic = "billing.refund.succeeded.v1",
                .payload = fmt::format(R"({{"tenantId":"acme","invoiceId":"inv-{0}","refundId":"re-{0}","amount":100,)"
                                       R"("currency":"EUR","occurredTime":"{1}"}})",
                                       order, time_of_day_now()),
                .dispatch_key = customer_of(order)});
}

Result<> DemoShop::place_order(int order, bool has_expired_card) {
  MAKEGOOD_TRY(run_in_shop(db_.get(), "BEGIN IMMEDIATE"));
  const SagaStart start{.definition = "orderProcess",
                        .input = fmt::format(R"({{"customer":"{}","total":{},"card":"{}"}})", customer_of(order),
                                             amount_of(order), has_expired_card ? "expired" : "valid"),
                        .options = {.id = fmt::format("order-{}", order)}};
  Result<> placed = run_in_shop(db_.get(), fmt::format("INSERT INTO placed_order VALUES ({})", order));
  if (placed) {
    if (const auto started = start_saga(db_.get(), start); !started) placed = started.error();
  }
  MAKEGOOD_TRY(run_in_shop(db_.get(), placed ? "COMMIT" : "ROLLBACK"));
  return placed;
}

}  // namespace makegood::demo
