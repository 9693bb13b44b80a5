// The shop of the demo: invoices, payments and refunds, each with its message in one SQLite transaction.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <memory>
#include <string>

#include "makegood/result.hpp"
#include "makegood/sqlite.hpp"

namespace makegood::demo {

class DemoShop {
 public:
  /// The outbox must be there.
  static Result<DemoShop> open(const std::string& path);

  /// An invoice and its InvoiceGenerated; the number of the message.
  Result<Sequence> generate_invoice(int order);
  /// The payment and its PaymentSucceeded; declined, neither remains.
  Result<Sequence> pay(int order, bool is_declined);
  Result<Sequence> refund(int order);
  /// Starts the saga of an order, in the transaction that places it.
  Result<> place_order(int order, bool has_expired_card);
  static std::string customer_of(int order);

 private:
  struct Close {
    void operator()(sqlite3* db) const noexcept { sqlite3_close_v2(db); }
  };
  using Database = std::unique_ptr<sqlite3, Close>;

  DemoShop(Database db, sqlite::Enqueuer enqueuer) : db_(std::move(db)), enqueuer_(std::move(enqueuer)) {}
  /// Both in one transaction, which `end` closes.
  Result<Sequence> write(const std::string& sql, NewMessage message, const char* end = "COMMIT");

  Database db_;
  sqlite::Enqueuer enqueuer_;  // After the connection: its statements must go first.
};

}  // namespace makegood::demo
