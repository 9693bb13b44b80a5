// A producer and a relay in one process, under load, until somebody kills it.
//
//   relay_process produce STORE RECEIPTS LEASE_MS SEED   orders and messages for ever, some rolled back
//   relay_process drain STORE RECEIPTS LEASE_MS SEED     nothing new; ends when everything is delivered
//
// The database says what was committed: each message has a business row of the same transaction. The receipts file says
// what arrived: one line per delivery, written before the handler answers.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <random>
#include <string>
#include <string_view>
#include <thread>

#include "makegood/id.hpp"
#include "makegood/makegood.hpp"
#include "makegood/spi/assert.hpp"
#include "tests/crash/database.hpp"

namespace {

using namespace std::chrono_literals;
using makegood::crash::Database;

/// One line, in one call, to a file opened for appending: it is there whole or not at all.
void receive(int receipts, const makegood::Delivery& delivery) {
  const std::string line = fmt::format("{} {}\n", delivery.message->event_id, delivery.message->content);
  MAKEGOOD_ASSERT(write(receipts, line.data(), line.size()) == static_cast<ssize_t>(line.size()));
}

void place_orders(Database& database, std::mt19937& random) {
  const std::string key = "k" + std::to_string(random() % 4);
  MAKEGOOD_ASSERT(database.begin() && database.lock(key));
  for (std::size_t i = 0; i <= random() % 4; ++i) {
    const std::string id = makegood::new_uuid7();
    const std::string payload = "\"" + id + "\"";
    MAKEGOOD_ASSERT(database.run(fmt::format(
        "INSERT INTO orders (event_id, dispatch_key, payload) VALUES ('{}', '{}', '{}')", id, key, payload)));
    MAKEGOOD_ASSERT(
        database.enqueue({.topic = "order.placed", .payload = payload, .event_id = id, .dispatch_key = key}));
  }
  const bool is_kept = random() % 5 != 0;
  MAKEGOOD_ASSERT(is_kept ? database.commit().has_value() : database.run("ROLLBACK"));
}

[[noreturn]] void produce(Database& database, unsigned seed, makegood::Node& node) {
  std::mt19937 random(seed);
  while (true) {
    place_orders(database, random);
    node.wake();
  }
}

bool is_drained(Database& database) {
  return database.ask(makegood::crash::pending_messages) == std::vector<makegood::crash::Line>{{"0"}};
}

}  // namespace

int main(int argc, char** argv) {
  MAKEGOOD_ASSERT(argc == 6);
  const std::string_view mode = argv[1];
  const std::string url = argv[2];
  const int receipts = ::open(argv[3], O_WRONLY | O_CREAT | O_APPEND, 0600);
  MAKEGOOD_ASSERT(receipts >= 0);

  std::atomic<unsigned> count = 0;
  makegood::Node node =
      makegood::Node::open(url, {.relay = {.lease = std::chrono::milliseconds(std::stoll(argv[4]))}}).value();
  node.on("*", "receipts",
          [&](const makegood::Delivery& delivery) {
            if (++count % 10 == 0) return makegood::Outcome::retry("MOODY");
            receive(receipts, delivery);
            return makegood::Outcome::ok();
          },
          {.retry = {.attempts_max = 1000, .base = 2ms, .cap = 10ms}});
  const auto database = makegood::crash::open_database(url);
  MAKEGOOD_ASSERT(database.has_value() && (*database)->open_shop());
  node.start().value();
  if (mode == "produce") produce(**database, static_cast<unsigned>(std::stoul(argv[5])), node);
  while (!is_drained(**database)) std::this_thread::sleep_for(20ms);
  node.stop();
  return 0;
}
