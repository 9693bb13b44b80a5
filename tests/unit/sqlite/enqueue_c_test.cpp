#include "makegood/sqlite.h"

#include "tests/unit/sqlite/database.hpp"

namespace makegood::sqlite {

TEST_F(SqliteTest, EnqueuesFromC) {
  makegood_message message = {};
  message.topic = "t";
  message.content = "{\"a\":1}";
  message.content_bytes = 7;
  message.dispatch_key = "k";
  message.headers_json = R"({"h":"v"})";
  message.priority = 3;
  int64_t sequence = 0;
  app().run("BEGIN");
  ASSERT_EQ(makegood_sqlite_enqueue(app().db(), nullptr, &message, &sequence, nullptr, 0), 0);
  app().run("COMMIT");
  EXPECT_EQ(sequence, 1);
  EXPECT_EQ(app().ask("SELECT topic, payload, tenant_id, dispatch_key, headers, priority FROM makegood_outbox"),
            R"(t|{"a":1}|default|k|{"h":"v"}|3)");
}

TEST_F(SqliteTest, TellsCWhyInOneSentenceThatFits) {
  makegood_message message = {};
  message.topic = "t";
  message.content = "{}";
  message.content_bytes = 2;
  char error[20] = {};
  EXPECT_EQ(makegood_sqlite_enqueue(app().db(), nullptr, &message, nullptr, error, sizeof error),
            makegood_not_in_transaction);
  EXPECT_STREQ(error, "There is no transac");
  EXPECT_EQ(makegood_sqlite_enqueue(app().db(), nullptr, nullptr, nullptr, nullptr, 0), makegood_invalid);
}

TEST_F(SqliteTest, RefusesHeadersFromCThatAreNoObjectOfTexts) {
  app().run("BEGIN");
  for (const char* headers : {"[]", R"({"a":1})", "{", R"({"a":"\n"})", R"({"":"v"})", R"({"a b":"v"})"}) {
    makegood_message message = {};
    message.topic = "t";
    message.content = "{}";
    message.content_bytes = 2;
    message.headers_json = headers;
    EXPECT_EQ(makegood_sqlite_enqueue(app().db(), nullptr, &message, nullptr, nullptr, 0), makegood_invalid) << headers;
  }
}

class EnqueueFromC : public SqliteTest {
 protected:
  EnqueueFromC() {
    message_.topic = "t";
    message_.content = "1";
    message_.content_bytes = 1;
    message_.event_id = "e";
  }
  int enqueue() { return makegood_sqlite_enqueue_with(app().db(), &options_, &message_, &enqueued_); }

  makegood_message message_ = {};
  makegood_enqueue_options options_ = {};
  makegood_enqueued enqueued_ = {};
};

TEST_F(EnqueueFromC, TellsARepeatFromAConflict) {
  app().run("BEGIN");
  EXPECT_EQ(enqueue(), makegood_ok);
  EXPECT_EQ(enqueued_.was_there, 0);
  const int64_t first = enqueued_.sequence;
  EXPECT_EQ(enqueue(), makegood_ok);
  EXPECT_EQ(enqueued_.was_there, 1);
  EXPECT_EQ(enqueued_.sequence, first);
  EXPECT_STREQ(enqueued_.error, "");
  message_.content = "2";
  EXPECT_EQ(enqueue(), makegood_conflict);
  EXPECT_STRNE(enqueued_.error, "");
}

TEST_F(EnqueueFromC, TellsALockedFileFromATransactionThatIsGone) {
  EXPECT_EQ(enqueue(), makegood_not_in_transaction);
  Application other(file());
  other.run("BEGIN IMMEDIATE");
  app().run("BEGIN");
  sqlite3_busy_timeout(app().db(), 0);
  EXPECT_EQ(enqueue(), makegood_store_unavailable);
}

TEST_F(EnqueueFromC, TellsThatTheTablesAreMissing) {
  options_.outbox = "nowhere";
  app().run("BEGIN");
  EXPECT_EQ(enqueue(), makegood_schema_mismatch);
}

TEST_F(EnqueueFromC, GoesByTheLimitsItIsGiven) {
  options_.may_autocommit = 1;
  EXPECT_EQ(enqueue(), makegood_ok);
  options_.has_versioned_topics = 1;
  EXPECT_EQ(enqueue(), makegood_invalid);
  message_.topic = "shop.order.placed.v1";
  message_.event_id = nullptr;
  EXPECT_EQ(enqueue(), makegood_ok);
  options_.content_bytes_max = 3;
  message_.content = "1234";
  message_.content_bytes = 4;
  EXPECT_EQ(enqueue(), makegood_payload_too_large);
}

TEST_F(EnqueueFromC, RefusesAnEmptyPayloadAndTakesAnEmptyBody) {
  app().run("BEGIN");
  for (const char* content : {static_cast<const char*>(nullptr), ""}) {
    message_.content = content;
    message_.content_bytes = 0;
    message_.is_body = 0;
    EXPECT_EQ(enqueue(), makegood_invalid);
    EXPECT_STREQ(enqueued_.error, "The payload is empty, and that is not JSON; give {} or null, or an empty body.");
    message_.is_body = 1;
    EXPECT_EQ(enqueue(), makegood_ok);
  }
  EXPECT_EQ(app().ask("SELECT count(*), max(length(body)) FROM makegood_outbox"), "1|0") << "the same event twice";
}

TEST_F(EnqueueFromC, NeedsNeitherOptionsNorAnAnswer) {
  app().run("BEGIN");
  EXPECT_EQ(makegood_sqlite_enqueue_with(app().db(), nullptr, &message_, nullptr), makegood_ok);
}

TEST_F(EnqueueFromC, HasTheTextOfEveryCode) {
  EXPECT_STREQ(makegood_code_text(makegood_ok), "OK");
  EXPECT_STREQ(makegood_code_text(makegood_conflict), "STORAGE.CONFLICT");
  for (int code = makegood_invalid; code < makegood_internal; ++code) {
    EXPECT_STRNE(makegood_code_text(code), makegood_code_text(makegood_internal)) << code;
  }
  EXPECT_STREQ(makegood_code_text(999), makegood_code_text(makegood_internal));
}

}  // namespace makegood::sqlite
