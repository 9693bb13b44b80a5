// order_producer DATABASE: invoices, payments and refunds, each with its message in the same SQLite transaction.
// Whoever sends the messages is another process: `makegood serve`.
#include <sqlite3.h>

#include <cstdio>
#include <exception>
#include <functional>
#include <makegood/sqlite.hpp>
#include <memory>
#include <stdexcept>
#include <string>

namespace {

struct Declined : std::runtime_error {
  Declined() : std::runtime_error("the card was declined") {}
};

class Billing {
 public:
  explicit Billing(const std::string& path) : database_(open(path)) {
    execute(
        "CREATE TABLE IF NOT EXISTS invoice (id INTEGER PRIMARY KEY, tenant TEXT, total INTEGER, paid INTEGER "
        "DEFAULT 0)");
  }

  long long generate_invoice(const std::string& tenant, int total) {
    long long number = 0;
    transaction([&] {
      execute("INSERT INTO invoice (tenant, total) VALUES ('" + tenant + "', " + std::to_string(total) + ")");
      number = sqlite3_last_insert_rowid(database_.get());
      enqueue("billing.invoice.generated.v1", tenant, number,
              R"("periodStart":"2026-10-01","periodEnd":"2026-10-31","total":)" + std::to_string(total) +
                  R"(,"currency":"EUR")");
    });
    return number;
  }

  void pay(const std::string& tenant, long long number, int amount, bool is_declined = false) {
    transaction([&] {
      add_to_paid(number, amount);
      enqueue("billing.payment.succeeded.v1", tenant, number,
              R"("transactionId":"tx-)" + std::to_string(number) + R"(","paymentMethod":"card","amount":)" +
                  std::to_string(amount) + R"(,"currency":"EUR","occurredTime":"2026-11-16T09:30:00Z")");
      if (is_declined) throw Declined();  // The message goes with the row.
    });
  }

  void refund(const std::string& tenant, long long number, int amount) {
    transaction([&] {
      add_to_paid(number, -amount);
      enqueue("billing.refund.succeeded.v1", tenant, number,
              R"("refundId":"re-)" + std::to_string(number) + R"(","amount":)" + std::to_string(amount) +
                  R"(,"currency":"EUR","occurredTime":"2026-11-16T11:45:00Z")");
    });
  }

 private:
  using Database = std::unique_ptr<sqlite3, decltype(&sqlite3_close_v2)>;

  static Database open(const std::string& path) {
    sqlite3* opened = nullptr;
    const int status = sqlite3_open(path.c_str(), &opened);
    Database database(opened, sqlite3_close_v2);
    if (status != SQLITE_OK) throw std::runtime_error("the database cannot be opened");
    sqlite3_busy_timeout(database.get(), 5000);
    return database;
  }

  void execute(const std::string& sql) {
    if (sqlite3_exec(database_.get(), sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK) return;
    throw std::runtime_error(sqlite3_errmsg(database_.get()));
  }

  /// All of it, or nothing. IMMEDIATE: what is read in it is still true when it writes.
  void transaction(const std::function<void()>& work) {
    execute("BEGIN IMMEDIATE");
    try {
      work();
      execute("COMMIT");
    } catch (...) {
      if (sqlite3_get_autocommit(database_.get()) == 0) execute("ROLLBACK");  // A full disk has ended it already.
      throw;
    }
  }

  void add_to_paid(long long number, int amount) {
    execute("UPDATE invoice SET paid = paid + " + std::to_string(amount) + " WHERE id = " + std::to_string(number));
  }

  /// Messages of one invoice arrive in their order, because they have the same key.
  void enqueue(const char* topic, const std::string& tenant, long long number, const std::string& fields) {
    const std::string invoice = "inv-" + std::to_string(number);
    const auto enqueued = enqueuer_.enqueue(
        {.topic = topic,
         .payload = R"({"tenantId":")" + tenant + R"(","invoiceId":")" + invoice + R"(",)" + fields + "}",
         .tenant_id = tenant,
         .dispatch_key = invoice});
    if (!enqueued) throw std::runtime_error(enqueued.error().message);
  }

  Database database_;
  /// Checks topics, sizes and that a transaction is open, and keeps its statements prepared, so it goes before the
  /// connection.
  makegood::sqlite::Enqueuer enqueuer_ = makegood::sqlite::Enqueuer::open(database_.get()).value();
};

void run(const std::string& path) {
  Billing billing(path);
  const long long number = billing.generate_invoice("acme", 1990);
  billing.pay("acme", number, 1990);
  try {
    billing.pay("acme", number, 1, true);
  } catch (const Declined&) {
    // Neither the payment nor its message is there.
  }
  billing.refund("acme", number, 500);
  std::printf("inv-%lld: generated, paid and refunded; three messages are committed with it\n", number);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    run(argc > 1 ? argv[1] : "shop.db");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
