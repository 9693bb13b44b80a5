// What is read from brokers: registered, changed, moved, and told with its places.
#include <gtest/gtest.h>

#include "makegood/spi/source_store.hpp"
#include "tests/support/value_of.hpp"
#include "tests/unit/api/place.hpp"

namespace makegood::api {
namespace {

constexpr const char* orders_source = R"({"name": "kafka:orders", "topic": "order.placed", "backlog_max": 500,
  "kafka": {"servers": ["kafka://127.0.0.1:9092"], "topics": ["orders"], "group": "billing"}})";
constexpr const char* source_path = "sources/kafka:orders";

void read_up_to(Place& place, const std::string& next) {
  const auto store = value_of(open_source_store(place.url(), outbox));
  const std::vector<SourceMove> moves = {{.partition = "orders/0", .was = {}, .next = next, .taken = 7, .behind = 2}};
  ASSERT_TRUE(store->take_in({.source = "kafka:orders", .moves = moves, .messages = {}}));
}

TEST(Sources, AreNoneBeforeTheFirst) {
  Place place;
  EXPECT_EQ(at(place.get("sources"), "/items"), "[]");
  EXPECT_EQ(place.get(source_path).status, 404);
}

TEST(Sources, AreRegisteredWithTheirTablesAndToldAsTheyWerePut) {
  Place place;
  EXPECT_EQ(text_at(place.put(source_path, orders_source), "/change"), "added");
  EXPECT_EQ(text_at(place.put(source_path, orders_source), "/change"), "none");
  const Answer one = place.get(source_path);
  EXPECT_EQ(text_at(one, "/state"), "reading");
  EXPECT_EQ(text_at(one, "/topic"), "order.placed");
  EXPECT_EQ(number_at(one, "/backlog_max"), 500);
  EXPECT_EQ(text_at(one, "/kafka/group"), "billing");
  EXPECT_EQ(number_at(one, "/version"), 1);
  EXPECT_EQ(text_at(place.get("sources"), "/items/0/name"), "kafka:orders");
}

TEST(Sources, ChangeNothingForAQuestion) {
  Place place;
  const Answer asked = place.call({.method = "PUT",
                                   .path = "/api/outboxes/makegood_outbox/sources/kafka:orders",
                                   .query = "dry_run=true",
                                   .content_type = "application/json",
                                   .body = orders_source});
  EXPECT_EQ(text_at(asked, "/change"), "added");
  EXPECT_EQ(at(place.get("sources"), "/items"), "[]");
}

TEST(Sources, NameEveryMistakeOfTheirSettings) {
  Place place;
  const Answer refused =
      place.put(source_path, R"({"kafka": {"servers": ["http://x"], "topics": [], "sasl": "plain"}})");
  EXPECT_EQ(refused.status, 400);
  for (const char* part : {"servers[0]", "topics", "username"}) {
    EXPECT_NE(detail(refused).find(part), std::string::npos) << part << " in " << detail(refused);
  }
  EXPECT_EQ(place.put(source_path, "{}").status, 400);
  EXPECT_EQ(place.put("sources/http:orders", orders_source).status, 400) << "nothing is read from there";
}

TEST(Sources, ArePausedResumedMovedAndForgotten) {
  Place place;
  std::size_t told = 0;
  place.api_context().sources_changed = [&told] { ++told; };
  place.reopen();
  ASSERT_EQ(place.put(source_path, orders_source).status, 200);
  EXPECT_EQ(text_at(place.post("sources/kafka:orders/pause"), "/state"), "paused");
  EXPECT_EQ(text_at(place.post("sources/kafka:orders/resume"), "/state"), "reading");
  read_up_to(place, "9");
  const Answer moved = place.post("sources/kafka:orders/move", R"({"partition": "orders/0", "next": "4"})");
  EXPECT_EQ(text_at(moved, "/places/0/next"), "4");
  EXPECT_EQ(number_at(moved, "/places/0/taken_count"), 7);
  EXPECT_EQ(number_at(moved, "/places/0/behind_count"), 2);
  EXPECT_EQ(place.post("sources/kafka:orders/move", R"({"partition": "orders/8", "next": "4"})").status, 404);
  EXPECT_EQ(place.remove(source_path).status, 200);
  EXPECT_EQ(place.get(source_path).status, 404);
  EXPECT_EQ(told, 5U);
}

TEST(Sources, AreToldByStatusWhenSomethingKeepsThemFromReading) {
  Place place;
  ASSERT_EQ(place.put(source_path, orders_source).status, 200);
  must(value_of(open_source_store(place.url(), outbox))->tell("kafka:orders", "SOURCE.GONE", "It is gone."));
  EXPECT_EQ(text_at(place.get(source_path), "/state"), "stopped");
  EXPECT_EQ(text_at(place.get("/api/status"), "/troubles/0/code"), "SOURCE.GONE");
}

}  // namespace
}  // namespace makegood::api
