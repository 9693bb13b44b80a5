// With no more rights than each needs: the producer's role writes messages, Makegood's role carries them.
#include "makegood/spi/source_store.hpp"
#include "stores/postgres/examination.hpp"
#include "stores/postgres/migrations.hpp"
#include "tests/unit/postgres/database.hpp"

namespace makegood::postgres {
namespace {

class Rights : public PostgresTest {
 protected:
  void SetUp() override {
    PostgresTest::SetUp();
    if (IsSkipped()) return;
    app().run("CREATE ROLE " + producer() + " LOGIN; CREATE ROLE " + relay() + " LOGIN");
    app().run(value_of(grants_script(outbox(), producer(), relay())));
  }
  void TearDown() override {
    if (IsSkipped()) return;
    app().run("DROP OWNED BY " + producer() + ", " + relay() + "; DROP ROLE " + producer() + ", " + relay());
  }
  std::string producer() const { return schema().name() + "_producer"; }
  std::string relay() const { return schema().name() + "_relay"; }
  std::string url_as(const std::string& role) const {
    return url() + (url().find('?') == std::string::npos ? "?" : "&") + "options=-c%20role%3D" + role;
  }
};

TEST_F(Rights, TheProducerWritesMessagesButNoNumbers) {
  const PostgresClient client(url_as(producer()));
  EXPECT_EQ(insert(client, "m1"), 1);
  EXPECT_EQ(client.run("SELECT was_there FROM " + outbox() + "_enqueue('t', '1', event_id => 'e')"), "f");
  EXPECT_EQ(client.run("SELECT was_there FROM " + outbox() + "_enqueue('t', '1', event_id => 'e')"), "t");
  EXPECT_EQ(client.state_of("INSERT INTO " + outbox() +
                            " (sequence, topic, payload) OVERRIDING SYSTEM VALUE VALUES (9, 't', '1')"),
            "42501");
  EXPECT_EQ(client.state_of("COPY " + outbox() + " (sequence, topic, payload) FROM STDIN"), "42501");
  EXPECT_EQ(client.state_of("UPDATE " + outbox() + " SET topic = 't'"), "42501");
  EXPECT_EQ(client.state_of("DELETE FROM " + outbox()), "42501");
  EXPECT_EQ(client.state_of("SELECT nextval('" + outbox() + "_number')"), "42501");
}

TEST_F(Rights, TheRelayNeedsNoRightToChangeTables) {
  const auto store = value_of(open_store(url_as(relay()), outbox()));
  must(store->migrate());
  insert("m1");
  const auto taken = value_of(store->take("a", lease, {}));
  ASSERT_TRUE(taken);
  const Found found = value_of(store->look(all_beyond(0)));
  EXPECT_EQ(names(found.rows), Names({"m1"}));
  Turn turn{.owner = "a", .after = taken->turn, .lease = lease, .position = {.reached = 1}};
  turn.parked = {a_parked(1, "fn:a").dead()};
  turn.messages = {a_message("told")};
  turn.routing = Routing{.version = 1, .from = 1};
  turn.clean = Clean{.retention = 0s, .dead_retention = 1h, .rows_max = 10};
  EXPECT_TRUE(store->commit(turn));
  EXPECT_FALSE(value_of(open_outbox_view(url_as(relay()), outbox()))->list_dead({}, {}, 10)->empty());
}

TEST_F(Rights, TheRelayTakesInFromSourcesWithWhatIsGranted) {
  ASSERT_TRUE(makegood::open_source_store(url(), outbox(), true));
  const auto missing = [this] { return value_of(examine(url_as(relay()), outbox(), system_clock())).missing_rights; };
  EXPECT_EQ(missing().size(), 8U) << "four on each of both tables";
  app().run(value_of(grants_script(outbox(), producer(), relay())));
  EXPECT_TRUE(missing().empty());
  const auto sources = value_of(makegood::open_source_store(url_as(relay()), outbox()));
  EXPECT_TRUE(sources->put("kafka:orders", "{}"));
  const std::vector<SourceMove> moves = {{.partition = "orders/0", .was = {}, .next = "1"}};
  const std::vector<NewMessage> messages = {a_message("taken in")};
  EXPECT_TRUE(sources->take_in({.source = "kafka:orders", .moves = moves, .messages = messages}));
}

}  // namespace
}  // namespace makegood::postgres
