// What any language can do: a plain INSERT, and the functions.
#include "makegood/id.hpp"
#include "tests/unit/postgres/database.hpp"

namespace makegood::postgres {
namespace {

class EnqueueBySql : public PostgresTest {
 protected:
  /// A call of makegood.enqueue for this outbox.
  std::string call(const std::string& arguments) const {
    return "makegood.enqueue(" + arguments + ", outbox => '" + outbox() + "')";
  }
};

TEST_F(EnqueueBySql, TopicAndPayloadAreEnough) {
  insert("m1");
  const Found found = look(0);
  ASSERT_EQ(found.rows.size(), 1U);
  EXPECT_TRUE(is_uuid(found.rows[0]->event_id));
  EXPECT_EQ(found.rows[0]->event_id[14], '7') << "of version 7";
  EXPECT_EQ(found.rows[0]->tenant_id, "default");
  EXPECT_EQ(found.rows[0]->content, "\"m1\"");
}

TEST_F(EnqueueBySql, DrawnEventIdsRise) {
  app().run("INSERT INTO " + outbox() + " (topic, payload) VALUES ('t', '1'); SELECT pg_sleep(0.005);" +
            "INSERT INTO " + outbox() + " (topic, payload) VALUES ('t', '1')");
  const Found found = look(0);
  EXPECT_LT(found.rows.at(0)->event_id, found.rows.at(1)->event_id);
}

TEST_F(EnqueueBySql, AnswersNumberAndWhetherItWasThere) {
  EXPECT_EQ(app().run("SELECT sequence || ' ' || was_there FROM " + call("'t', '{ \"a\":1}', event_id => 'e'")),
            "1 false");
  insert("m2");
  EXPECT_EQ(app().run("SELECT sequence || ' ' || was_there FROM " + call("'t', '{ \"a\":1}', event_id => 'e'")),
            "1 true");
  EXPECT_EQ(look(0).rows.at(0)->content, "{ \"a\":1}");
}

TEST_F(EnqueueBySql, TheSameEventWithOtherContentIsAConflict) {
  app().run("SELECT " + call("'t', '1', event_id => 'e'"));
  for (const std::string other :
       {"'t', '2', event_id => 'e'", "'u', '1', event_id => 'e'", "'t', '1', event_id => 'e', dispatch_key => 'k'",
        "'t', '1', event_id => 'e', priority => 1", "'t', body => 'x', event_id => 'e'",
        "'t', '1', event_id => 'e', headers => '{}'"}) {
    EXPECT_EQ(app().state_of("SELECT " + call(other)), "MG003") << other;
  }
  EXPECT_EQ(app().state_of("SELECT " + call("'t', '2', event_id => 'e', tenant_id => 'another'")), "");
}

TEST_F(EnqueueBySql, TakesEveryField) {
  app().run("SELECT " + call("'t', body => '\\x00ff', event_id => 'e', tenant_id => 'acme', dispatch_key => 'k', "
                             "priority => 3, content_type => 'x/y', headers => '{\"h\":\"v\"}', envelope_id => 'v', "
                             "traceparent => 'tp', tracestate => 'ts', available_at => '2030-01-01Z', "
                             "expires_at => '2031-01-01Z'"));
  const Found found = look(0);
  const Message& message = *found.rows.at(0);
  EXPECT_EQ(message.content, std::string("\0\xff", 2));
  EXPECT_FALSE(message.is_json);
  EXPECT_EQ(message.tenant_id, "acme");
  EXPECT_EQ(message.dispatch_key, "k");
  EXPECT_EQ(message.priority, 3);
  EXPECT_EQ(message.content_type, "x/y");
  EXPECT_EQ(message.headers, "{\"h\":\"v\"}");
  EXPECT_EQ(message.envelope_id, "v");
  EXPECT_EQ(message.traceparent, "tp");
  EXPECT_EQ(message.tracestate, "ts");
  EXPECT_EQ(to_milliseconds(message.available_at), 1'893'456'000'000);
  EXPECT_EQ(to_milliseconds(message.expires_at.value()), 1'924'992'000'000);
}

TEST_F(EnqueueBySql, TakesManyAtOnceInTheirOrder) {
  const std::string rows = app().run(
      "SELECT string_agg(sequence || ' ' || was_there, ', ') FROM makegood.enqueue_all("
      "'[{\"topic\":\"t\",\"payload\":{\"a\" :1},\"event_id\":\"e\"},{\"topic\":\"t\",\"body\":\"AP8=\"},"
      "{\"topic\":\"t\",\"payload\":{\"a\" :1},\"event_id\":\"e\"}]', outbox => '" +
      outbox() + "')");
  EXPECT_EQ(rows, "1 false, 2 false, 1 true");
  const Found found = look(0);
  EXPECT_EQ(found.rows.at(0)->content, "{\"a\" :1}");
  EXPECT_EQ(found.rows.at(1)->content, std::string("\0\xff", 2));
}

TEST_F(EnqueueBySql, OrderedWaitsForTheKeyOfAnotherTransaction) {
  app().run("BEGIN; SELECT " + call("'t', '\"first\"', dispatch_key => 'k', ordered => true"));
  PostgresClient other(url());
  other.run("SET lock_timeout = '100ms'");
  EXPECT_EQ(other.state_of("SELECT " + call("'t', '\"second\"', dispatch_key => 'k', ordered => true")), "55P03");
  EXPECT_EQ(other.state_of("SELECT " + call("'t', '\"second\"', dispatch_key => 'l', ordered => true")), "");
  EXPECT_EQ(other.state_of("SELECT " + call("'t', '\"second\"', dispatch_key => 'k'")), "");
}

TEST_F(EnqueueBySql, OrderedLocksAllKeysInOneOrderWhateverTheMessagesHave) {
  const auto both = [&](const std::string& first, const std::string& second) {
    return "SELECT count(*) FROM " + outbox() + "_enqueue_all('[{\"topic\":\"t\",\"payload\":1,\"dispatch_key\":\"" +
           first + "\"},{\"topic\":\"t\",\"payload\":1,\"dispatch_key\":\"" + second + "\"}]', ordered => true)";
  };
  app().run("BEGIN; SELECT " + call("'t', '1', dispatch_key => 'a', ordered => true"));
  PostgresClient other(url());
  std::jthread reversed([&] { other.run(both("b", "a")); });
  PostgresClient watcher(url());
  const std::string pid = std::to_string(PQbackendPID(other.handle()));
  EXPECT_TRUE(becomes_true([&] {
    return watcher.run("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND pid = " + pid) ==
           "1";
  }));
  EXPECT_EQ(watcher.run("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND granted AND pid = " + pid), "0")
      << "it waits for a before it has b";
  app().run(both("a", "b"));
  app().run("COMMIT");
  reversed.join();
  EXPECT_EQ(look(0).rows.size(), 5U);
}

TEST_F(EnqueueBySql, TheFunctionOfTheOutboxNeedsNoOther) {
  EXPECT_EQ(app().run("SELECT sequence FROM " + outbox() + "_enqueue('t', '1')"), "1");
}

}  // namespace
}  // namespace makegood::postgres
