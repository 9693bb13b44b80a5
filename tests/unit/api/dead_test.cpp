#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/unit/api/place.hpp"

namespace makegood::api {
namespace {

using testing_support::a_message;
using testing_support::a_parked;

class Dead : public testing::Test {
 protected:
  Dead() {
    place.enqueue(a_message("a").with_topic("order.placed").of_tenant("acme"));
    place.enqueue(a_message("b").with_topic("order.paid"));
    place.enqueue(a_message("c").with_topic("order.paid"));
    place.turn(
        {a_parked(1, "http:x/y").of_tenant("acme").dead().with_error("TX.TIMEOUT", "slow"),
         a_parked(1, "fn:a").of_tenant("acme").dead().with_error("TX.TIMEOUT", "slow"),
         a_parked(2).dead().with_error("TX.REJECTED", "no"), a_parked(3).quarantined().with_error("TX.REJECTED", "no")},
        {.reached = 3});
  }

  std::size_t count(const std::string& query) { return size_at(place.get("dead", query), "/items"); }

  Place place;
};

TEST_F(Dead, AreListedPageByPage) {
  Answer page = place.get("dead", "limit=1");
  ASSERT_EQ(page.status, 200) << page.body;
  std::vector<std::string> seen = {text_at(page, "/items/0/destination")};
  while (at(page, "/next") != "null") {
    Call next{.path = "/api/outboxes/makegood_outbox/dead", .query = "limit=1&cursor="};
    for (const char c : text_at(page, "/next")) next.query += c == ' ' ? "%20" : std::string(1, c);
    page = place.call(next);
    if (size_at(page, "/items") == 1) seen.push_back(text_at(page, "/items/0/destination"));
  }
  EXPECT_EQ(seen, (std::vector<std::string>{"fn:a", "http:x/y", "fn:a", "fn:a"}));
}

TEST_F(Dead, AreFoundByWhatTheyAre) {
  EXPECT_EQ(count(""), 4U);
  EXPECT_EQ(count("state=quarantined"), 1U);
  EXPECT_EQ(count("tenant=acme"), 2U);
  EXPECT_EQ(count("topic=*.paid&state=dead"), 1U);
  EXPECT_EQ(count("destination=http%3Ax%2Fy"), 1U);
  EXPECT_EQ(count("code=TX.REJECTED"), 2U);
  EXPECT_EQ(count("until=2000-01-01T00:00:00Z"), 0U);
  EXPECT_EQ(place.get("dead", "state=waiting").status, 400);
  EXPECT_EQ(place.get("dead", "cursor=7").status, 400);
}

TEST_F(Dead, AreGrouped) {
  const Answer groups = place.get("dead/groups", "state=dead&code=TX.TIMEOUT");
  ASSERT_EQ(size_at(groups, "/items"), 2U) << groups.body;
  EXPECT_EQ(text_at(groups, "/items/0/topic"), "order.placed");
  EXPECT_EQ(number_at(groups, "/items/0/count"), 1);
  EXPECT_EQ(number_at(groups, "/items/0/example"), 1);
  EXPECT_EQ(text_at(groups, "/items/0/example_error"), "slow");
}

TEST_F(Dead, HideWhatTheirMessagesHoldFromWhoIsNoOperator) {
  const Answer one = place.call({.path = "/api/outboxes/makegood_outbox/dead/1/http:x%2Fy", .sees_contents = false});
  ASSERT_EQ(one.status, 200) << one.body;
  EXPECT_EQ(at(one, "/message/is_content_hidden"), "true");
  EXPECT_EQ(at(one, "/message/payload_text"), "null");
}

TEST_F(Dead, AreToldWithTheirMessageAndRequests) {
  EXPECT_EQ(place.post("dead/1/http:x%2Fy/annotate", R"({"note":"called them"})").status, 202);
  const Answer one = place.get("dead/1/http:x%2Fy");
  ASSERT_EQ(one.status, 200) << one.body;
  EXPECT_EQ(text_at(one, "/error_code"), "TX.TIMEOUT");
  EXPECT_EQ(text_at(one, "/message/payload_text"), "\"a\"");
  EXPECT_EQ(at(one, "/message/is_content_hidden"), "false");
  EXPECT_EQ(text_at(one, "/requests/0/reason"), "called them");
  EXPECT_EQ(size_at(place.get("dead/1/fn:a"), "/requests"), 0U);
  EXPECT_EQ(place.get("dead/9/fn:a").status, 404);
  EXPECT_EQ(place.get("dead/x/fn:a").status, 404);
}

TEST_F(Dead, AreAskedAboutOneByOne) {
  for (const char* verb : {"replay", "quarantine", "release"}) {
    EXPECT_EQ(place.post(fmt::format("dead/2/fn:a/{}", verb), R"({"reason":"r"})").status, 202) << verb;
    EXPECT_EQ(place.post(fmt::format("dead/9/fn:a/{}", verb)).status, 404) << verb;
    EXPECT_EQ(place.post(fmt::format("dead/2/fn:a/{}", verb), R"({"raison":"r"})").status, 400) << verb;
  }
  EXPECT_EQ(place.post("dead/2/fn:a/annotate").status, 400);
  EXPECT_EQ(text_at(place.get("requests/2"), "/kind"), "quarantine");
}

TEST_F(Dead, AreCarriedOutByTheOwner) {
  place.start_relay();
  EXPECT_EQ(place.post("dead/3/fn:a/release").status, 200);
  const Answer again = place.post("dead/3/fn:a/release");
  EXPECT_EQ(again.status, 409);
  EXPECT_EQ(detail(again), "The owner of the outbox refused it: it is not in quarantine.");
  EXPECT_EQ(place.post("dead/3/fn:a/annotate", R"({"note":"n"})").status, 200);
  EXPECT_EQ(place.post("dead/3/fn:a/quarantine").status, 200);
}

}  // namespace
}  // namespace makegood::api
