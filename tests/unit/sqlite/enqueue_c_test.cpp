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
  EXPECT_EQ(makegood_sqlite_enqueue(app().db(), nullptr, &message, nullptr, error, sizeof error), 1);
  EXPECT_STREQ(error, "There is no transac");
  EXPECT_EQ(makegood_sqlite_enqueue(app().db(), nullptr, nullptr, nullptr, nullptr, 0), 1);
}

TEST_F(SqliteTest, RefusesHeadersFromCThatAreNoObjectOfTexts) {
  app().run("BEGIN");
  for (const char* headers : {"[]", R"({"a":1})", "{", R"({"a":"\n"})", R"({"":"v"})", R"({"a b":"v"})"}) {
    makegood_message message = {};
    message.topic = "t";
    message.content = "{}";
    message.content_bytes = 2;
    message.headers_json = headers;
    EXPECT_EQ(makegood_sqlite_enqueue(app().db(), nullptr, &message, nullptr, nullptr, 0), 1) << headers;
  }
}

}  // namespace makegood::sqlite
