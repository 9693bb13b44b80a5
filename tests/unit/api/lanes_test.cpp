// Requests that an owner carries out while the call waits.
#include <gtest/gtest.h>

#include "tests/support/loopback_server.hpp"
#include "tests/unit/api/place.hpp"

namespace makegood::api {
namespace {

using testing_support::a_message;
using testing_support::LoopbackServer;

std::string document_for(const LoopbackServer& server) { return R"({"http":{"url":")" + server.url() + R"("}})"; }

TEST(Asking, IsAnsweredWhenTheOwnerHasCarriedItOut) {
  Place place;
  place.start_relay();
  LoopbackServer server([](const auto&) { return testing_support::reply(204); });
  const Answer put = place.put("destinations/http:billing", document_for(server));
  ASSERT_EQ(put.status, 200) << put.body;
  EXPECT_EQ(text_at(put, "/result"), "done");
  EXPECT_GE(number_at(put, "/request"), 1);

  const Answer paused = place.post("pause", R"({"destination":"http:billing","reason":"maintenance"})");
  EXPECT_EQ(paused.status, 200) << paused.body;
  EXPECT_EQ(text_at(place.get("destinations/http:billing"), "/health/state"), "paused");
  EXPECT_EQ(text_at(place.get("requests/" + at(paused, "/request")), "/result"), "done");

  const Answer again = place.post("pause", R"({"destination":"http:billing"})");
  EXPECT_EQ(again.status, 200) << "it is so already";
  EXPECT_EQ(text_at(again, "/result"), "done");
  EXPECT_EQ(text_at(place.get("destinations/http:billing"), "/health/because"), "alice: maintenance");
  EXPECT_NE(at(place.get("destinations/http:billing"), "/health/since"), "null");
  EXPECT_EQ(place.post("resume", R"({"destination":"http:billing"})").status, 200);
}

TEST(Asking, StaysOpenWithoutAnOwner) {
  Place place;
  const Answer answer = place.post("pause", R"({"destination":"fn:a"})");
  EXPECT_EQ(answer.status, 202);
  EXPECT_EQ(text_at(answer, "/result"), "open");
}

TEST(Asking, NamesTheDestinationThatWasMeant) {
  Place place;
  place.register_routing({.version = 1, .destinations = {{.name = "http:billing"}}});
  const Answer answer = place.post("pause", R"({"destination":"http:biling"})");
  EXPECT_EQ(answer.status, 404);
  EXPECT_EQ(detail(answer), "There is no destination 'http:biling'. Is it http:billing?");
  EXPECT_EQ(place.post("destinations/http:biling/enable").status, 404);
}

TEST(Asking, DeliversByWhatWasRegistered) {
  Place place;
  place.start_relay();
  LoopbackServer server([](const auto&) { return testing_support::reply(204); });
  ASSERT_EQ(place.put("destinations/http:billing", document_for(server)).status, 200);
  ASSERT_EQ(place.put("routes", R"({"routes":[{"pattern":"order.*","destination":"http:billing"}]})").status, 200);
  ASSERT_EQ(place.post("messages", R"({"topic":"order.placed","payload":{"total": 1.0}})").status, 201);
  ASSERT_TRUE(server.await_received(1));
  EXPECT_EQ(server.received().at(0).body, R"({"total": 1.0})");
  EXPECT_TRUE(eventually([&] { return text_at(place.get("messages/1"), "/state") == "done"; }));
}

TEST(History, IsAskedForByRange) {
  Place place;
  const Answer answer = place.post("history", R"({"destination":"fn:a","tenant_id":"acme","from":3,"until":9})");
  ASSERT_EQ(answer.status, 202) << answer.body;
  const Answer request = place.get("requests/1");
  EXPECT_EQ(text_at(request, "/kind"), "history");
  EXPECT_EQ(number_at(request, "/sequence"), 3);
  EXPECT_EQ(number_at(request, "/until"), 9);
  EXPECT_EQ(text_at(request, "/tenant_id"), "acme");
  EXPECT_EQ(place.post("history", R"({"destination":"fn:a","from":9,"until":3})").status, 400);
  EXPECT_EQ(place.post("cancel", R"({"destination":"fn:a"})").status, 202);
}

TEST(Cancelling, AsksTheOwnerAboutAMessageByNumberOrEvent) {
  Place place;
  ASSERT_EQ(place.post("messages", R"({"topic":"order.placed","event_id":"e-1","payload":1})").status, 201);
  ASSERT_EQ(place.post("messages/e-1/cancel", R"({"reason":"wrong price"})").status, 202);
  const Answer request = place.get("requests/1");
  EXPECT_EQ(text_at(request, "/kind"), "cancel_message");
  EXPECT_EQ(number_at(request, "/sequence"), 1);
  EXPECT_EQ(text_at(request, "/reason"), "wrong price");
  EXPECT_EQ(place.post("messages/1/cancel", "{}").status, 202);
  EXPECT_EQ(place.post("messages/99/cancel", "{}").status, 404);
  EXPECT_EQ(place.post("messages/1/cancel", R"({"destination":"fn:a"})").status, 400);
}

}  // namespace
}  // namespace makegood::api
