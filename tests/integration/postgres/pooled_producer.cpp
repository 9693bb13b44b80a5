// pooled_producer URL PREFIX COUNT: two connections with an Enqueuer each take turns at having a transaction open, so
// that a pooler gives them each other's sessions. The events are PREFIX-0, PREFIX-1 and so on.
#include <libpq-fe.h>

#include <cstdio>
#include <exception>
#include <makegood/postgres.hpp>
#include <memory>
#include <stdexcept>
#include <string>

namespace {

class Producer {
 public:
  explicit Producer(const char* url) : connection_(PQconnectdb(url), PQfinish), enqueuer_(open(connection_.get())) {}

  void begin(const std::string& event) {
    if (PQresultStatus(Answer(PQexec(connection_.get(), "BEGIN"), PQclear).get()) != PGRES_COMMAND_OK) fail("BEGIN");
    const auto enqueued = enqueuer_.enqueue({.topic = "order.placed", .payload = "{}", .event_id = event});
    if (!enqueued) fail(enqueued.error().message + " " + enqueued.error().diagnostics);
  }
  void commit() {
    const auto committed = makegood::postgres::commit(connection_.get());
    if (!committed) fail(committed.error().message);
  }

 private:
  using Answer = std::unique_ptr<PGresult, decltype(&PQclear)>;

  [[noreturn]] static void fail(const std::string& why) { throw std::runtime_error(why); }
  static makegood::postgres::Enqueuer open(PGconn* connection) {
    if (PQstatus(connection) != CONNECTION_OK) fail(PQerrorMessage(connection));
    auto enqueuer = makegood::postgres::Enqueuer::open(connection);
    if (!enqueuer) fail(enqueuer.error().message);
    return *std::move(enqueuer);
  }

  std::unique_ptr<PGconn, decltype(&PQfinish)> connection_;
  makegood::postgres::Enqueuer enqueuer_;  // After the connection: its statements must go first.
};

void produce(const char* url, const std::string& prefix, int count) {
  Producer one(url);
  Producer other(url);
  for (int number = 0; number < count; number += 2) {
    const bool is_even = number % 4 == 0;
    Producer& first = is_even ? one : other;
    Producer& second = is_even ? other : one;
    first.begin(prefix + "-" + std::to_string(number));
    second.begin(prefix + "-" + std::to_string(number + 1));
    first.commit();
    second.commit();
  }
}

}  // namespace

int main(int count, char** words) {
  if (count != 4) return 2;
  try {
    produce(words[1], words[2], std::stoi(words[3]));
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
