// postgres_producer URL: orders, each with its message in the same PostgreSQL transaction.
// Whoever sends the messages is another process: `makegood serve`.
#include <libpq-fe.h>

#include <cstdio>
#include <exception>
#include <functional>
#include <makegood/postgres.hpp>
#include <memory>
#include <stdexcept>
#include <string>

namespace {

class Shop {
 public:
  explicit Shop(const char* url) : connection_(PQconnectdb(url), PQfinish) {
    if (PQstatus(connection_.get()) != CONNECTION_OK) throw std::runtime_error(PQerrorMessage(connection_.get()));
    execute("SET client_min_messages = warning");
    execute("CREATE TABLE IF NOT EXISTS shop_order (id bigint GENERATED ALWAYS AS IDENTITY, item text NOT NULL)");
  }

  std::string place_order(bool is_declined = false) {
    std::string number;
    transaction([&] {
      number = execute("INSERT INTO shop_order (item) VALUES ('a good book') RETURNING id");
      enqueue("shop.order.placed.v1", number);
      if (is_declined) throw std::runtime_error("the card was declined");  // The message goes with the row.
    });
    return number;
  }

 private:
  /// Answers the first field of the first row, if there is one.
  std::string execute(const char* sql) {
    const std::unique_ptr<PGresult, decltype(&PQclear)> result(PQexec(connection_.get(), sql), PQclear);
    const ExecStatusType status = PQresultStatus(result.get());
    if (status == PGRES_TUPLES_OK) return PQgetvalue(result.get(), 0, 0);
    if (status == PGRES_COMMAND_OK) return {};
    throw std::runtime_error(PQerrorMessage(connection_.get()));
  }

  /// All of it, or nothing. `commit` also tells when PostgreSQL has answered COMMIT with a rollback.
  void transaction(const std::function<void()>& work) {
    execute("BEGIN");
    try {
      work();
    } catch (...) {
      execute("ROLLBACK");
      throw;
    }
    const auto committed = makegood::postgres::commit(connection_.get());
    if (!committed) throw std::runtime_error(committed.error().message);
  }

  /// Messages of one order arrive in their order, because they have the same key.
  void enqueue(const char* topic, const std::string& number) {
    const auto enqueued = makegood::postgres::enqueue(
        connection_.get(),
        {.topic = topic, .payload = R"({"order":)" + number + "}", .dispatch_key = "order-" + number});
    if (!enqueued) throw std::runtime_error(enqueued.error().message);
  }

  std::unique_ptr<PGconn, decltype(&PQfinish)> connection_;
};

void run(const char* url) {
  Shop shop(url);
  const std::string number = shop.place_order();
  try {
    shop.place_order(true);
  } catch (const std::runtime_error&) {
    // Neither the order nor its message is there.
  }
  std::printf("order-%s: placed; its message is committed with it\n", number.c_str());
}

}  // namespace

int main(int argc, char** argv) {
  try {
    run(argc > 1 ? argv[1] : "");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
