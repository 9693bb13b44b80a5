// Idempotency keys over REST.
#include <gtest/gtest.h>

#include "api/key_figures.hpp"
#include "api/key_news.hpp"
#include "tests/unit/api/place.hpp"

namespace makegood::api {
namespace {

constexpr const char* claim_path = "/api/idempotency/claim";

std::string claim_of(const std::string& key, const std::string& more = {}) {
  return R"({"scope":"pay","key":")" + key + R"(","fingerprint":"f")" + more + "}";
}
std::string with_token(const std::string& key, const Answer& claimed, const std::string& more = {}) {
  return R"({"scope":"pay","key":")" + key + R"(","token":)" + at(claimed, "/token") + more + "}";
}

TEST(IdempotencyCalls, ClaimFinishAndGiveTheAnswerAgain) {
  Place place;
  const Answer claimed = place.post(claim_path, claim_of("k"));
  EXPECT_EQ(text_at(claimed, "/outcome"), "fresh");
  EXPECT_EQ(text_at(place.post(claim_path, claim_of("k")), "/outcome"), "busy");
  const Answer finished = place.post(
      "/api/idempotency/finish", with_token("k", claimed, R"(,"digest":"d","status":201,"body_base64":"bWFkZQ==")"));
  EXPECT_EQ(finished.status, 200) << finished.body;
  const Answer again = place.post(claim_path, claim_of("k"));
  EXPECT_EQ(text_at(again, "/outcome"), "hit");
  EXPECT_EQ(number_at(again, "/status"), 201);
  EXPECT_EQ(text_at(again, "/body_base64"), "bWFkZQ==");
  EXPECT_EQ(text_at(again, "/digest"), "d");
}

TEST(IdempotencyCalls, RefuseAStaleToken) {
  Place place;
  place.post(claim_path, claim_of("k"));
  for (const std::string verb : {"finish", "renew"}) {
    const Answer answer = place.post("/api/idempotency/" + verb, R"({"scope":"pay","key":"k","token":"stale"})");
    EXPECT_EQ(answer.status, 409) << verb;
    EXPECT_EQ(text_at(answer, "/code"), "TX.FENCED");
  }
  const Answer failed = place.post("/api/idempotency/fail", R"({"scope":"pay","key":"k","token":"stale","code":"X"})");
  EXPECT_EQ(failed.status, 409);
}

TEST(IdempotencyCalls, RenewAndFail) {
  Place place;
  const Answer claimed = place.post(claim_path, claim_of("k"));
  EXPECT_EQ(place.post("/api/idempotency/renew", with_token("k", claimed, R"(,"lease_ms":60000)")).status, 200);
  EXPECT_GT(number_at(place.post(claim_path, claim_of("k")), "/retry_after_ms"), 30'000);
  EXPECT_EQ(place.post("/api/idempotency/fail", with_token("k", claimed, R"(,"code":"NO","is_final":true)")).status,
            200);
  const Answer again = place.post(claim_path, claim_of("k"));
  EXPECT_EQ(text_at(again, "/outcome"), "last_failed");
  EXPECT_EQ(text_at(again, "/failure_code"), "NO");
}

TEST(IdempotencyCalls, ShowListCountAndForgetKeys) {
  Place place;
  const Answer claimed = place.post(claim_path, claim_of("a"));
  place.post(claim_path, claim_of("b"));
  const Answer page = place.get("/api/idempotency/keys", "limit=1");
  EXPECT_EQ(text_at(page, "/items/0/key"), "a");
  const Answer next = place.get("/api/idempotency/keys", "limit=1&cursor=" + text_at(page, "/next"));
  EXPECT_EQ(text_at(next, "/items/0/key"), "b");
  EXPECT_EQ(place.get("/api/idempotency/keys", "cursor=nonsense").status, 400);
  EXPECT_EQ(number_at(place.get("/api/idempotency/counts"), "/in_flight"), 2);
  EXPECT_EQ(place.post("/api/idempotency/forget", R"({"scope":"pay","key":"a"})").status, 409) << "at work";
  place.post("/api/idempotency/finish", with_token("a", claimed));
  EXPECT_EQ(text_at(place.get("/api/idempotency/key", "scope=pay&key=a"), "/state"), "succeeded");
  EXPECT_EQ(place.post("/api/idempotency/forget", R"({"scope":"pay","key":"a"})").status, 200);
  EXPECT_EQ(place.get("/api/idempotency/key", "scope=pay&key=a").status, 404);
  EXPECT_EQ(number_at(place.post("/api/idempotency/purge"), "/purged"), 0);
}

TEST(IdempotencyCalls, ShowTheAnswerToOperatorsOnly) {
  Place place;
  const Answer claimed = place.post(claim_path, claim_of("k"));
  place.post("/api/idempotency/finish", with_token("k", claimed, R"(,"status":200,"body_base64":"c2VjcmV0")"));
  const Answer seen = place.call({.path = "/api/idempotency/key", .query = "scope=pay&key=k", .sees_contents = false});
  EXPECT_EQ(at(seen, "/body_base64"), "null");
  EXPECT_EQ(text_at(place.get("/api/idempotency/key", "scope=pay&key=k"), "/body_base64"), "c2VjcmV0");
}

TEST(IdempotencyCalls, ResolveADoubt) {
  Place place;
  place.post(claim_path, claim_of("k", R"(,"lease_ms":1)"));
  EXPECT_TRUE(eventually([&] { return text_at(place.post(claim_path, claim_of("k")), "/outcome") == "in_doubt"; }));
  EXPECT_EQ(number_at(place.get("/api/idempotency/counts"), "/in_doubt"), 1);
  EXPECT_EQ(size_at(place.get("/api/idempotency/keys", "in_doubt=true"), "/items"), 1U);
  EXPECT_EQ(place.post("/api/idempotency/resolve", R"({"scope":"pay","key":"k","was_done":true,"digest":"d"})").status,
            200);
  EXPECT_EQ(text_at(place.post(claim_path, claim_of("k")), "/outcome"), "hit");
  EXPECT_EQ(place.post("/api/idempotency/resolve", R"({"scope":"pay","key":"k","was_done":true})").status, 409);
}

TEST(IdempotencyCalls, CountWhatClaimsWereTold) {
  Place place;
  KeyFigures figures;
  place.api_context().key_figures = &figures;
  place.reopen();
  for (int i = 0; i < 3; ++i) place.post(claim_path, claim_of("k"));
  EXPECT_NE(figures.text().find("tx_idempo_claims_total{outcome=\"fresh\"} 1\n"), std::string::npos);
  EXPECT_NE(figures.text().find("tx_idempo_conflicts_total 2\n"), std::string::npos);
}

TEST(IdempotencyCalls, NameTheTenantOfHitsAndConflictsWhereThatIsAskedFor) {
  KeyFigures figures(1);
  figures.told({.outcome = ClaimOutcome::hit}, "a \"b\"");
  for (const char* tenant : {"c", "d"}) figures.told({.outcome = ClaimOutcome::busy}, tenant);
  const std::string text = figures.text();
  EXPECT_NE(text.find("tx_idempo_hits_total{tenant=\"a \\\"b\\\"\"} 1\n"), std::string::npos) << text;
  EXPECT_NE(text.find("tx_idempo_conflicts_total{tenant=\"other\"} 2\n"), std::string::npos) << text;
}

constexpr const char* seal_text = "7 aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";

TEST(IdempotencyCalls, SealAnswersAndSayWhichTheyCannotOpen) {
  Place place;
  KeyFigures figures;
  place.api_context().key_figures = &figures;
  place.api_context().seal = [] { return parse_seal(seal_text, "a test"); };
  place.reopen();
  const Answer claimed = place.post(claim_path, claim_of("k"));
  place.post("/api/idempotency/finish", with_token("k", claimed, R"(,"status":201,"body_base64":"c2VjcmV0")"));
  const Answer hit = place.post(claim_path, claim_of("k"));
  EXPECT_EQ(text_at(hit, "/body_base64"), "c2VjcmV0");
  EXPECT_EQ(text_at(hit, "/sealed_by"), "7");
  EXPECT_EQ(at(hit, "/unopened"), "null");
  place.api_context().seal = {};
  place.reopen();
  const Answer closed = place.post(claim_path, claim_of("k"));
  EXPECT_EQ(text_at(closed, "/outcome"), "hit");
  EXPECT_EQ(at(closed, "/body_base64"), "null");
  EXPECT_EQ(number_at(closed, "/status"), 201);
  EXPECT_EQ(text_at(closed, "/unopened"), "The answer is sealed with the key 7, and no seal file is set.");
  EXPECT_EQ(text_at(place.get("/api/idempotency/key", "scope=pay&key=k"), "/sealed_by"), "7");
  EXPECT_NE(figures.text().find("tx_idempo_unopened_total 1\n"), std::string::npos);
}

TEST(IdempotencyCalls, AreRefusedWhileTheSealFileIsNotThere) {
  Place place;
  place.api_context().seal = [] { return read_seal("/no/such/file"); };
  place.reopen();
  EXPECT_EQ(text_at(place.post(claim_path, claim_of("k")), "/code"), "CONFIG.INVALID");
  EXPECT_EQ(place.get("/api/status").status, 200) << "what has nothing to do with keys";
}

TEST(IdempotencyCalls, TellWhatBecomesOfKeys) {
  Place place;
  std::vector<std::string> told;
  place.api_context().key_news = [&](const KeyNews& news) {
    told.push_back(std::string(to_string(news.kind)) + " " + news.key.key + " " + news.code);
  };
  place.reopen();
  const Answer claimed = place.post(claim_path, claim_of("a"));
  place.post(claim_path, claim_of("a"));
  place.post("/api/idempotency/finish", with_token("a", claimed, R"(,"digest":"d")"));
  place.post("/api/idempotency/forget", R"({"scope":"pay","key":"a"})");
  place.post("/api/idempotency/fail", with_token("b", place.post(claim_path, claim_of("b")), R"(,"code":"NO")"));
  place.post(claim_path, claim_of("b", R"(,"lease_ms":1,"after_lease":"take_over")"));
  EXPECT_TRUE(eventually([&] { return text_at(place.post(claim_path, claim_of("b")), "/outcome") == "fresh"; }));
  EXPECT_EQ(told[0], "claimed a ");
  EXPECT_EQ(told[1], "told a busy");
  EXPECT_EQ(told[2], "finished a ");
  EXPECT_EQ(told[3], "forgotten a ");
  EXPECT_EQ(told[4], "claimed b ");
  EXPECT_EQ(told[5], "failed b NO");
  EXPECT_EQ(told[6], "claimed b ") << "it was released";
  EXPECT_EQ(told.back(), "taken_over b ");
}

Answer enqueue_with_key(Place& place, const std::string& key, const std::string& payload) {
  return place.call({.method = "POST",
                     .path = "/api/outboxes/makegood_outbox/messages",
                     .content_type = "application/json",
                     .body = R"({"topic":"t","payload":)" + payload + "}",
                     .idempotency_key = key});
}

TEST(IdempotencyKeyHeader, MakesAnEnqueueSafeToRepeatQuotedOrBare) {
  Place place;
  const Answer first = enqueue_with_key(place, "\"order \\\"7\\\"\"", "1");
  const Answer second = enqueue_with_key(place, "order \"7\"", "1");
  EXPECT_EQ(first.status, 201) << first.body;
  EXPECT_EQ(second.status, 201);
  EXPECT_EQ(at(second, "/sequence"), at(first, "/sequence"));
  EXPECT_EQ(at(second, "/was_there"), "true");
}

TEST(IdempotencyKeyHeader, RefusesOtherContentWith422) {
  Place place;
  enqueue_with_key(place, "k", "1");
  const Answer other = enqueue_with_key(place, "k", "2");
  EXPECT_EQ(other.status, 422);
  EXPECT_EQ(text_at(other, "/code"), "TX.IDEMPOTENT_MISMATCH");
}

TEST(IdempotencyKeyHeader, RefusesWhatIsNoKey) {
  Place place;
  for (const std::string& key : {std::string("\"open"), std::string("\"\""), std::string(300, 'k')}) {
    EXPECT_EQ(enqueue_with_key(place, key, "1").status, 400) << key;
  }
}

}  // namespace
}  // namespace makegood::api
