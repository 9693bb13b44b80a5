// A program with an event loop of its own sees on one descriptor that another connection has committed.
#include <poll.h>

#include "makegood/node.hpp"
#include "tests/support/event.hpp"
#include "tests/unit/sqlite/database.hpp"

namespace makegood::sqlite {
namespace {

bool is_readable(const Dispatcher& dispatcher, std::chrono::milliseconds limit) {
  pollfd event{.fd = dispatcher.wake_descriptor(), .events = POLLIN, .revents = 0};
  return poll(&event, 1, static_cast<int>(limit.count())) == 1;
}

/// What it has written itself shows there, too, and is taken back by the next `run_once`.
bool comes_to_rest(Dispatcher& dispatcher) {
  for (int round = 0; round < 10'000; ++round) {
    const bool has_done_something = dispatcher.run_once(system_clock().monotonic());
    if (!has_done_something && !is_readable(dispatcher, 5ms)) return true;
  }
  return false;
}

TEST(SqliteWakeDescriptor, ShowsWhatAnotherConnectionHasCommitted) {
  const testing_support::TemporaryFolder folder;
  const std::string file = folder.file("app.db");
  must(value_of(open_store(file, "makegood_outbox", system_clock()))->migrate());
  Application application(file);
  testing_support::Event received;
  Node node = value_of(Node::open("sqlite:" + file));
  node.on("orders.*", "books", [&](const Delivery&) {
    received.happen();
    return Outcome::ok();
  });
  Dispatcher& dispatcher = *value_of(node.relay());
  ASSERT_TRUE(comes_to_rest(dispatcher));
  application.run("INSERT INTO makegood_outbox (topic, payload) VALUES ('orders.placed', '{}')");
  EXPECT_TRUE(is_readable(dispatcher, 20s));
  EXPECT_TRUE(comes_to_rest(dispatcher));
  EXPECT_TRUE(received.await());
  dispatcher.stop();
}

}  // namespace
}  // namespace makegood::sqlite
