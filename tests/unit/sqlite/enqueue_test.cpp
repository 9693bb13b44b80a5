#include "makegood/id.hpp"
#include "makegood/schema.hpp"
#include "tests/unit/sqlite/database.hpp"

namespace makegood::sqlite {
namespace {

NewMessage plain() { return {.topic = "t", .payload = "{}"}; }

}  // namespace

TEST_F(SqliteTest, EnqueuesInsideTheApplicationsTransaction) {
  app().run("CREATE TABLE business (id INTEGER); BEGIN; INSERT INTO business VALUES (1)");
  EXPECT_EQ(value_of(sqlite::enqueue(app().db(), plain())).sequence, 1);
  app().run("ROLLBACK");
  EXPECT_EQ(app().ask("SELECT (SELECT count(*) FROM business), (SELECT count(*) FROM makegood_outbox)"), "0|0");

  app().run("BEGIN; INSERT INTO business VALUES (1)");
  value_of(sqlite::enqueue(app().db(), plain()));
  app().run("COMMIT");
  EXPECT_EQ(app().ask("SELECT (SELECT count(*) FROM business), (SELECT count(*) FROM makegood_outbox)"), "1|1");
}

TEST_F(SqliteTest, RefusesToEnqueueOutsideATransaction) {
  EXPECT_EQ(sqlite::enqueue(app().db(), plain()).error().code, Errc::not_in_transaction);
  EXPECT_EQ(app().ask("SELECT count(*) FROM makegood_outbox"), "0");
  EXPECT_TRUE(sqlite::enqueue(app().db(), plain(), {.may_autocommit = true}));
}

TEST_F(SqliteTest, AsksTheProgramForTheTraceOfAMessageThatNamesNone) {
  auto enqueuer = value_of(Enqueuer::open(
      app().db(), {.trace_source = [] { return TraceContext{.traceparent = "00-1", .tracestate = "a=b"}; }}));
  app().run("BEGIN");
  value_of(enqueuer.enqueue(plain()));
  value_of(enqueuer.enqueue({.topic = "t", .payload = "{}", .traceparent = "own"}));
  app().run("COMMIT");
  EXPECT_EQ(app().ask("SELECT group_concat(traceparent || ',' || coalesce(tracestate, '-'), ';') FROM makegood_outbox"),
            "00-1,a=b;own,-");
}

TEST_F(SqliteTest, RefusesAPayloadOfNoBytesAndTakesSuchABody) {
  app().run("BEGIN");
  EXPECT_EQ(sqlite::enqueue(app().db(), {.topic = "t"}).error().code, Errc::invalid);
  EXPECT_TRUE(sqlite::enqueue(app().db(), {.topic = "t", .body = ""}));
  app().run("ROLLBACK");
}

TEST_F(SqliteTest, RefusesATimeInSecondsWhereMillisecondsAreMeant) {
  app().run("BEGIN");
  NewMessage message = plain();
  message.expires_at = from_milliseconds(1'790'000'000);
  EXPECT_EQ(sqlite::enqueue(app().db(), message).error().code, Errc::invalid);
  app().run("ROLLBACK");
}

TEST_F(SqliteTest, RefusesToEnqueueAfterTheTransactionWasRolledBack) {
  auto enqueuer = value_of(Enqueuer::open(app().db()));
  app().run("BEGIN");
  value_of(enqueuer.enqueue(plain()));
  app().run("ROLLBACK");
  EXPECT_EQ(enqueuer.enqueue(plain()).error().code, Errc::not_in_transaction);
}

TEST_F(SqliteTest, TheSameEventAgainIsAnsweredWithItsFirstNumber) {
  auto enqueuer = value_of(Enqueuer::open(app().db()));
  app().run("BEGIN");
  const NewMessage message = a_message("m1").with_key("k").with_header("h", "v");
  const Enqueued first = value_of(enqueuer.enqueue(message));
  value_of(enqueuer.enqueue(a_message("m2")));
  const Enqueued again = value_of(enqueuer.enqueue(message));
  EXPECT_FALSE(first.was_there);
  EXPECT_TRUE(again.was_there);
  EXPECT_EQ(again.sequence, first.sequence);
}

TEST_F(SqliteTest, TheSameEventOfAnotherTenantIsAnotherEvent) {
  enqueue(a_message("m1").of_tenant("a"));
  EXPECT_EQ(enqueue(a_message("m1").of_tenant("b")), 2);
}

TEST_F(SqliteTest, TheSameEventWithOtherContentIsAConflict) {
  NewMessage first = a_message("m1").with_key("k").with_header("h", "v");
  first.content_type = "application/json";
  enqueue(first);
  const auto code_of = [&](auto change) {
    NewMessage other = first;
    change(other);
    return store().enqueue({&other, 1}).error().code;
  };
  EXPECT_EQ(code_of([](NewMessage& m) { m.topic = "other"; }), Errc::conflict);
  EXPECT_EQ(code_of([](NewMessage& m) { m.payload = "2"; }), Errc::conflict);
  EXPECT_EQ(code_of([](NewMessage& m) { m.body = m.payload; }), Errc::conflict);
  EXPECT_EQ(code_of([](NewMessage& m) { m.dispatch_key = "other"; }), Errc::conflict);
  EXPECT_EQ(code_of([](NewMessage& m) { m.priority = 1; }), Errc::conflict);
  EXPECT_EQ(code_of([](NewMessage& m) { m.content_type = "text/json"; }), Errc::conflict);
  EXPECT_EQ(code_of([](NewMessage& m) { m.headers["h"] = "w"; }), Errc::conflict);
  EXPECT_EQ(app().ask("SELECT count(*) FROM makegood_outbox"), "1");
}

TEST_F(SqliteTest, DrawsAUuid7WhenTheEventHasNoId) {
  enqueue(plain());
  const std::string id = app().ask("SELECT event_id FROM makegood_outbox");
  EXPECT_TRUE(is_uuid(id));
  EXPECT_EQ(id[14], '7');
}

TEST_F(SqliteTest, DeliversByteForByte) {
  const std::string strange("a\0b\xFF\"\\\n", 7);
  enqueue({.topic = "t", .payload = strange});
  enqueue({.topic = "t", .body = strange});
  enqueue({.topic = "t", .body = ""});
  app().run("INSERT INTO makegood_outbox (topic, payload) VALUES ('t', '')");
  const Found found = value_of(store().look({.owner = "a", .rows_max = 10, .bytes_max = 10000}));
  ASSERT_EQ(found.rows.size(), 4U);
  EXPECT_EQ(found.rows[0]->content, strange);
  EXPECT_TRUE(found.rows[0]->is_json);
  EXPECT_EQ(found.rows[1]->content, strange);
  EXPECT_FALSE(found.rows[1]->is_json);
  EXPECT_EQ(found.rows[1]->content_type, "application/octet-stream");
  EXPECT_TRUE(found.rows[2]->content.empty() && !found.rows[2]->is_json);
  EXPECT_TRUE(found.rows[3]->content.empty() && found.rows[3]->is_json);
}

TEST_F(SqliteTest, HeadersAreAJsonObject) {
  enqueue(a_message("m1").with_header("a", R"(say "hi" \o/)").with_header("b", ""));
  EXPECT_EQ(app().ask("SELECT headers ->> '$.a', headers ->> '$.b' FROM makegood_outbox"), R"(say "hi" \o/|)");
}

TEST_F(SqliteTest, RefusesWhatCouldNotBeDelivered) {
  const auto code_of = [&](const NewMessage& message, const EnqueueOptions& options = {}) {
    app().run("BEGIN");
    const auto enqueued = sqlite::enqueue(app().db(), message, options);
    app().run("ROLLBACK");
    return enqueued ? Errc::internal : enqueued.error().code;
  };
  EXPECT_EQ(code_of({.topic = "", .payload = "{}"}), Errc::invalid);
  EXPECT_EQ(code_of({.topic = "a\nb", .payload = "{}"}), Errc::invalid);
  EXPECT_EQ(code_of({.topic = std::string(256, 't'), .payload = "{}"}), Errc::invalid);
  EXPECT_EQ(code_of({.topic = "t", .payload = ""}), Errc::invalid) << "no bytes are no JSON";
  EXPECT_EQ(code_of({.topic = "t"}), Errc::invalid);
  EXPECT_EQ(code_of({.topic = "t", .payload = "{}", .tenant_id = ""}), Errc::invalid);
  EXPECT_EQ(code_of({.topic = "t", .payload = "{}", .event_id = std::string(129, 'e')}), Errc::invalid);
  EXPECT_EQ(code_of({.topic = "t", .payload = "{}", .dispatch_key = std::string(256, 'k')}), Errc::invalid);
  EXPECT_EQ(code_of({.topic = "t", .payload = "{}", .headers = {{"a\r\n", "v"}}}), Errc::invalid);
  EXPECT_EQ(code_of({.topic = "t", .payload = "{}", .headers = {{"a", "v\r\nx: y"}}}), Errc::invalid);
  EXPECT_EQ(code_of({.topic = "t", .payload = "{}", .headers = {{"a b", "v"}}}), Errc::invalid);
  EXPECT_EQ(code_of({.topic = "t", .payload = "{}", .headers = {{"a", std::string(4097, 'v')}}}), Errc::invalid);
  EXPECT_EQ(code_of({.topic = "t", .payload = "{}", .traceparent = "a\n"}), Errc::invalid);
  EXPECT_EQ(code_of({.topic = "t", .payload = "12345"}, {.content_bytes_max = 4}), Errc::payload_too_large);
  EXPECT_EQ(code_of({.topic = "t", .payload = "{}"}, {.outbox = "a\"b"}), Errc::invalid);
}

TEST_F(SqliteTest, ChecksTheGrammarOfTopicsByChoice) {
  const auto is_taken = [&](const std::string& topic) {
    app().run("BEGIN");
    const bool is_good =
        sqlite::enqueue(app().db(), {.topic = topic, .payload = "{}"}, {.topic_grammar = TopicGrammar::versioned})
            .has_value();
    app().run("ROLLBACK");
    return is_good;
  };
  EXPECT_TRUE(is_taken("org.organization.created.v1"));
  EXPECT_TRUE(is_taken("my-shop.order.line.added.v12"));
  for (const std::string topic : {"org.created.v1", "org.organization.created", "Org.organization.created.v1",
                                  "a.b.c.v", "a..c.v1", "a.b.c.v1x", "a_b.b.c.v1"}) {
    EXPECT_FALSE(is_taken(topic)) << topic;
  }
  EXPECT_FALSE(is_taken("a.b." + std::string(121, 'c') + ".v1"));
}

TEST_F(SqliteTest, ChecksPayloadsAgainstTheirSchema) {
  PayloadSchemas schemas;
  must(schemas.add("orders.*", R"({"type": "object", "required": ["id"]})"));
  const EnqueueOptions options{.schemas = &schemas};
  app().run("BEGIN");
  EXPECT_TRUE(sqlite::enqueue(app().db(), {.topic = "orders.placed", .payload = R"({"id": 1})"}, options));
  EXPECT_EQ(sqlite::enqueue(app().db(), {.topic = "orders.placed", .payload = "{}"}, options).error().code,
            Errc::validation_failed);
}

TEST_F(SqliteTest, EnqueuesManyAndStopsAtTheFirstThatCannot) {
  auto enqueuer = value_of(Enqueuer::open(app().db()));
  app().run("BEGIN");
  const std::vector<NewMessage> good = {a_message("m1"), a_message("m2")};
  EXPECT_EQ(value_of(enqueuer.enqueue(good)).size(), 2U);
  const std::vector<NewMessage> bad = {a_message("m3"), NewMessage{.topic = ""}, a_message("m4")};
  EXPECT_EQ(enqueuer.enqueue(bad).error().code, Errc::invalid);
  app().run("ROLLBACK");
  EXPECT_EQ(store().enqueue(bad).error().code, Errc::invalid);
  EXPECT_EQ(app().ask("SELECT count(*) FROM makegood_outbox"), "0");
}

}  // namespace makegood::sqlite
