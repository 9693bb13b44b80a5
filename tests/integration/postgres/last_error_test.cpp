// What a handler says when it fails is kept in the database: so much of it, and in a form that every reader can show.
#include "makegood/node.hpp"
#include "tests/unit/postgres/database.hpp"

namespace makegood::postgres {
namespace {

using LastError = PostgresTest;

TEST_F(LastError, IsCutAndScrubbed) {
  Node relay = value_of(Node::open(url(), {.relay = {.outbox = outbox()}}));
  relay.on("orders.*", "books", [](const Delivery&) {
    using namespace std::string_literals;
    return Outcome::fail("BAD", "no\0 \xFF \x1B[31m "s + std::string(10'000, 'x'));
  });
  must(relay.start());
  insert("m1");
  const std::string dead = " FROM " + outbox() + "_status WHERE state = 'dead'";
  EXPECT_TRUE(becomes_true([&] { return app().run("SELECT count(*)" + dead) == "1"; }));
  relay.stop();
  EXPECT_EQ(app().run("SELECT octet_length(last_error)" + dead), "2048");
  EXPECT_EQ(app().run("SELECT left(last_error, 13)" + dead), "no  ?  [31m x");
}

}  // namespace
}  // namespace makegood::postgres
