#include <gtest/gtest.h>

#include "tests/unit/api/place.hpp"

namespace makegood::api {
namespace {

constexpr const char* document =
    R"("destinations":[{"name":"http:a","rate_max":5,"http":{"url":"http://127.0.0.1:1/"}},)"
    R"({"name":"http:b","http":{"url":"http://127.0.0.1:2/"}}],"routes":[{"pattern":"*","destination":"http:a"}])";

std::string body(const std::string& more = {}) { return std::string("{") + document + more + "}"; }

TEST(Apply, ShowsTheDifferenceFirst) {
  Place place;
  const Answer answer = place.post("apply", body(R"(,"dry_run":true)"));
  ASSERT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(at(answer, "/is_applied"), "false");
  EXPECT_EQ(at(answer, "/request"), "null");
  ASSERT_EQ(size_at(answer, "/changes"), 3U);
  EXPECT_EQ(text_at(answer, "/changes/0/kind"), "add");
  EXPECT_EQ(text_at(answer, "/changes/0/name"), "http:a");
  EXPECT_EQ(text_at(answer, "/changes/2/what"), "route");
  EXPECT_EQ(text_at(answer, "/changes/2/name"), "* -> http:a");
  EXPECT_EQ(at(answer, "/changes/0/fields/0"), R"({"name":"http.url","from":null,"to":"http://127.0.0.1:1/"})");
  EXPECT_EQ(at(answer, "/changes/0/fields/1"), R"({"name":"rate_max","from":0.0,"to":5.0})");
  EXPECT_EQ(size_at(place.get("requests"), "/items"), 0U);
}

TEST(Apply, MakesEverythingWhatItShouldBeInOneRequest) {
  Place place;
  place.start_relay();
  const Answer first = place.post("apply", body(R"(,"reason":"release 7")"));
  ASSERT_EQ(first.status, 200) << first.body;
  EXPECT_EQ(at(first, "/is_applied"), "true");
  EXPECT_EQ(text_at(place.get("requests/" + at(first, "/request")), "/reason"), "release 7");
  EXPECT_EQ(size_at(place.get("destinations"), "/items"), 2U);
  EXPECT_EQ(text_at(place.get("routes"), "/routes/0/destination"), "http:a");
  EXPECT_GE(number_at(place.get("routes"), "/version"), 1);

  const Answer again = place.post("apply", body());
  EXPECT_EQ(size_at(again, "/changes"), 0U);
  EXPECT_EQ(at(again, "/is_applied"), "true");
  EXPECT_EQ(at(again, "/request"), "null");

  const Answer changed =
      place.post("apply", R"({"destinations":[{"name":"http:a","rate_max":5,"retry":{"attempts_max":3},)"
                          R"("http":{"url":"http://127.0.0.1:1/"}}]})");
  ASSERT_EQ(size_at(changed, "/changes"), 1U) << changed.body;
  EXPECT_EQ(at(changed, "/changes/0/fields"), R"([{"name":"retry.attempts_max","from":12,"to":3}])");
}

TEST(Apply, RemovesNothingUnlessItIsToldTo) {
  Place place;
  place.start_relay();
  ASSERT_EQ(place.post("apply", body()).status, 200);
  const std::string less = R"("destinations":[{"name":"http:b","http":{"url":"http://127.0.0.1:2/"}}])";
  EXPECT_EQ(size_at(place.post("apply", "{" + less + "}"), "/changes"), 0U);
  const Answer pruned = place.post("apply", "{" + less + R"(,"prune":true})");
  ASSERT_EQ(pruned.status, 200) << pruned.body;
  ASSERT_EQ(size_at(pruned, "/changes"), 2U) << pruned.body;
  EXPECT_EQ(text_at(pruned, "/changes/0/name"), "http:a");
  EXPECT_EQ(text_at(pruned, "/changes/0/kind"), "remove");
  EXPECT_EQ(text_at(pruned, "/changes/1/name"), "* -> http:a");
  EXPECT_EQ(size_at(place.get("destinations"), "/items"), 1U);
}

TEST(Apply, LeavesAloneWhatItIsNotToldOf) {
  Place place;
  place.start_relay();
  ASSERT_EQ(place.post("apply", body()).status, 200);
  EXPECT_EQ(size_at(place.post("apply", R"({"prune":true,"dry_run":true})"), "/changes"), 0U);
  const Answer routes = place.post("apply", R"({"prune":true,"routes":[]})");
  ASSERT_EQ(size_at(routes, "/changes"), 1U) << routes.body;
  EXPECT_EQ(text_at(routes, "/changes/0/kind"), "remove");
  EXPECT_EQ(size_at(place.get("destinations"), "/items"), 2U);
}

TEST(Apply, TellsEveryMistakeOfEveryPart) {
  Place place;
  const Answer answer = place.post("apply", R"({"destinations":[{"name":"http:a"},7,{"name":"fn:x"},{"name":"fn:x"}],)"
                                            R"("routes":[{"pattern":"*"}],"prun":true})");
  EXPECT_EQ(answer.status, 400);
  for (const char* part : {"destinations[0].http is missing", "destinations[1] is not an object",
                           "destinations[3].name is fn:x, as another has it", "routes[0].destination is missing",
                           "prun is not a member; is it prune?"}) {
    EXPECT_NE(detail(answer).find(part), std::string::npos) << part << "\n" << detail(answer);
  }
}

TEST(Apply, RefusesARouteToNowhere) {
  Place place;
  const Answer answer = place.post("apply", R"({"routes":[{"pattern":"*","destination":"http:none"}]})");
  EXPECT_EQ(answer.status, 400);
  EXPECT_NE(detail(answer).find("http:none"), std::string::npos) << detail(answer);
  EXPECT_EQ(place.put("routes", R"({"routes":[{"pattern":"*","destination":"http:none"}]})").status, 400);
}

TEST(Apply, StaysOpenWithoutAnOwner) {
  Place place;
  const Answer answer = place.post("apply", body());
  EXPECT_EQ(answer.status, 202);
  EXPECT_EQ(at(answer, "/is_applied"), "false");
  EXPECT_EQ(number_at(answer, "/request"), 1);
}

TEST(Routes, AreReplacedAsAWhole) {
  Place place;
  EXPECT_EQ(at(place.get("routes"), ""), R"({"version":0,"from_sequence":0,"routes":[],"versions":[]})");
  EXPECT_EQ(at(place.get("routes/versions"), ""), R"({"items":[],"next":null})");
  place.start_relay();
  ASSERT_EQ(place.post("apply", body()).status, 200);
  const Answer put = place.put("routes", R"({"routes":[{"pattern":"a.*","destination":"http:b"}],"reason":"r"})");
  ASSERT_EQ(put.status, 200) << put.body;
  EXPECT_EQ(at(place.get("routes"), "/routes"), R"([{"pattern":"a.*","destination":"http:b"}])");
  EXPECT_EQ(at(place.put("routes", R"({"routes":[{"pattern":"a.*","destination":"http:b"}]})"), "/request"), "null");
  EXPECT_EQ(place.put("routes", "{}").status, 400);
}

}  // namespace
}  // namespace makegood::api
