#include <fmt/format.h>
#include <gtest/gtest.h>

#include "api/destination_document.hpp"
#include "tests/support/loopback_server.hpp"
#include "tests/unit/api/place.hpp"
#include "transports/table.hpp"

namespace makegood::api {
namespace {

using testing_support::LoopbackServer;

Destination decoded(const std::string& json, const std::string& name = "http:a", const DestinationRules& rules = {}) {
  Mistakes mistakes;
  const auto destination = destination_from(json, name, rules, mistakes);
  EXPECT_TRUE(destination) << mistakes.as_error("it").message;
  return destination.value_or(Destination{});
}

std::string refused(const std::string& json, const std::string& name = "http:a", const DestinationRules& rules = {}) {
  Mistakes mistakes;
  EXPECT_FALSE(destination_from(json, name, rules, mistakes));
  return mistakes.as_error("it").message;
}

TEST(DestinationDocument, HasADefaultForAllButTheUrl) {
  const Destination destination = decoded(R"({"http":{"url":"https://a.example/x"}})");
  Destination expected;
  expected.name = "http:a";
  expected.settings = R"({"url":"https://a.example/x"})";
  EXPECT_EQ(destination, expected);
}

TEST(DestinationDocument, ComesBackAsItWasPut) {
  const DestinationRules rules{.transports = new_transports({.http = {.tenant_secrets = {"env:"}}})};
  const Destination destination = decoded(
      R"({"in_flight_max":7,"rate_max":2.5,"timeout_ms":1500,"retry":{"attempts_max":3,"base_ms":10,"factor":1.5,)"
      R"("jitter":0,"cap_ms":20,"schedule_ms":[1,0,3],"retry_after_max_ms":0,"unreachable_for_ms":0},)"
      R"("ordering":"skip",)"
      R"("circuit":{"failures_max":0,"wait_min_ms":1,"wait_max_ms":2},"tenant_id":"acme",)"
      R"("http":{"url":"https://a.example/","headers":{"x-a":"1"},"signing_keys":["env:KEY"],)"
      R"("answers":{"404":"ok"}}})",
      "http:a", rules);
  EXPECT_EQ(destination.timeout, std::chrono::milliseconds(1500));
  EXPECT_EQ(destination.retry.schedule.size(), 3U);
  EXPECT_EQ(destination.ordering, Ordering::skip);
  EXPECT_EQ(decoded(document_of(destination), "http:a", rules), destination);
}

TEST(DestinationDocument, TakesTheEarlierNameOfItsPatience) {
  const auto with = [&](const std::string& members) {
    return decoded("{" + members + R"("http":{"url":"https://a.example/"}})", "http:a", {}).retry.unreachable_for;
  };
  EXPECT_EQ(with(""), std::chrono::hours(72));
  EXPECT_EQ(with(R"("disable_after_ms":5,)"), std::chrono::milliseconds(5));
  EXPECT_EQ(with(R"("disable_after_ms":5,"retry":{"unreachable_for_ms":6},)"), std::chrono::milliseconds(6));
}

TEST(DestinationDocument, BeginsWithTheDefaultsOfTheProcess) {
  DestinationRules rules;
  rules.defaults.timeout = std::chrono::seconds(7);
  rules.defaults.retry.schedule = {std::chrono::seconds(1)};
  const auto with = [&](const std::string& retry) {
    return decoded(R"({"retry":)" + retry + R"(,"http":{"url":"https://a.example/"}})", "http:a", rules);
  };
  EXPECT_EQ(with("{}").timeout, std::chrono::seconds(7));
  EXPECT_EQ(with("{}").retry.schedule.size(), 1U);
  EXPECT_EQ(with(R"({"schedule_ms":[5,6]})").retry.schedule.size(), 2U);
  EXPECT_TRUE(with(R"({"schedule_ms":[]})").retry.schedule.empty());
  EXPECT_TRUE(with(R"({"attempts_max":20})").retry.schedule.empty()) << "who says so does not want a list of delays";
}

TEST(DestinationDocument, OfAnotherTransportHasSettings) {
  const Destination destination = decoded(R"({"settings":{"any": 1.0}})", "fn:a");
  EXPECT_EQ(destination.settings, R"({"any": 1.0})");
  EXPECT_EQ(decoded(document_of(destination), "fn:a"), destination);
  EXPECT_NE(refused(R"({"http":{"url":"http://a"}})", "fn:a").find("http is for destinations http:"),
            std::string::npos);
}

TEST(DestinationDocument, TellsEveryMistake) {
  const std::string told = refused(R"({"name":"http:b","in_flight_max":0,"rate_max":-1,"timeout_ms":"1s",)"
                                   R"("retry":{"attempt_max":1,"schedule_ms":[-1]},)"
                                   R"("ordering":"none","circuit":7,"tennant_id":"x"})");
  for (const char* part :
       {"name is http:b; the path says http:a", "in_flight_max is 0", "rate_max is -1; allowed: a number from 0",
        "timeout_ms is \"1s\"", "retry.attempt_max is not a member; is it attempts_max?", "retry.schedule_ms[0] is -1",
        "ordering is none; allowed: block, skip, block_on_dead", "circuit is not an object",
        "tennant_id is not a member; is it tenant_id?", "http is missing; it needs at least a url"}) {
    EXPECT_NE(told.find(part), std::string::npos) << part << "\n" << told;
  }
}

TEST(DestinationDocument, NeverShowsASecretThatWasPutInPlaceOfItsReference) {
  const std::string told = refused(R"({"http":{"url":"https://a.example/","signing_keys":["whsec_c2VjcmV0"]}})");
  EXPECT_NE(told.find("signing_keys[0] must say where the secret is"), std::string::npos) << told;
  EXPECT_EQ(told.find("whsec_"), std::string::npos);
}

TEST(DestinationDocument, NeedsAUsableName) {
  EXPECT_NE(refused(R"({"http":{"url":"https://a.example/"}})", "").find("name is missing"), std::string::npos);
  EXPECT_NE(refused(R"({"settings":{}})", "fn:a b").find("name is fn:a b; allowed: letters"), std::string::npos);
}

class Destinations : public testing::Test {
 protected:
  Destinations() { place.start_relay(); }

  Answer put(const std::string& name, const std::string& more = {}) {
    return place.put("destinations/" + name, fmt::format(R"({{{}"http":{{"url":"{}"}}}})", more, server.url("/in")));
  }

  Place place;
  int status = 204;
  LoopbackServer server{[this](const auto&) { return testing_support::reply(status); }};
};

TEST_F(Destinations, AreAddedChangedAndRemoved) {
  ASSERT_EQ(put("http:billing", R"("rate_max":5,)").status, 200);
  const Answer one = place.get("destinations/http%3Abilling");
  ASSERT_EQ(one.status, 200) << one.body;
  EXPECT_EQ(at(one, "/rate_max"), "5.0");
  EXPECT_EQ(text_at(one, "/http/url"), server.url("/in"));
  EXPECT_EQ(text_at(one, "/health/state"), "up");
  EXPECT_EQ(number_at(one, "/backlog/dead_count"), 0);

  ASSERT_EQ(put("http:billing", R"("rate_max":6,)").status, 200);
  EXPECT_EQ(at(place.get("destinations"), "/items/0/rate_max"), "6.0");
  ASSERT_EQ(place.put("routes", R"({"routes":[{"pattern":"*","destination":"http:billing"}]})").status, 200);

  ASSERT_EQ(place.remove("destinations/http:billing").status, 200);
  EXPECT_EQ(size_at(place.get("destinations"), "/items"), 0U);
  EXPECT_EQ(size_at(place.get("routes"), "/routes"), 0U);
  EXPECT_EQ(place.remove("destinations/http:billing").status, 404);
  EXPECT_EQ(place.get("destinations/http:billing").status, 404);
}

class ChangedDestination : public Destinations {
 protected:
  ChangedDestination() {
    const Answer first =
        place.put("destinations/http:billing",
                  R"({"rate_max":5,"timeout_ms":1500,"retry":{"attempts_max":3,"base_ms":10},)"
                  R"("http":{"url":"http://127.0.0.1:1/",)"
                  R"("headers":{"x-a":"1"},"secret_headers":{"authorization":"env:MAKEGOOD_SECRET_A"},)"
                  R"("signing_keys":["env:MAKEGOOD_SECRET_OLD"],"answers":{"404":"ok"}}})");
    EXPECT_EQ(first.status, 200) << first.body;
  }
  Answer put(const std::string& body, const std::string& query = {}) {
    return place.call({.method = "PUT",
                       .path = "/api/outboxes/makegood_outbox/destinations/http:billing",
                       .query = query,
                       .content_type = "application/json",
                       .body = body});
  }
  Answer now() { return place.get("destinations/http:billing"); }
};

TEST_F(ChangedDestination, KeepsWhatTheDocumentLeavesOut) {
  ASSERT_EQ(put(R"({"rate_max":7,"retry":{"base_ms":20}})").status, 200);
  EXPECT_EQ(at(now(), "/rate_max"), "7.0");
  EXPECT_EQ(number_at(now(), "/timeout_ms"), 1500);
  EXPECT_EQ(number_at(now(), "/retry/attempts_max"), 3);
  EXPECT_EQ(number_at(now(), "/retry/base_ms"), 20);
  EXPECT_EQ(text_at(now(), "/http/url"), "http://127.0.0.1:1/");
  EXPECT_EQ(at(now(), "/http/signing_keys"), R"(["env:MAKEGOOD_SECRET_OLD"])");
  EXPECT_EQ(at(now(), "/http/secret_headers"), R"({"authorization":"env:MAKEGOOD_SECRET_A"})");
}

TEST_F(ChangedDestination, HasItsHeadersChangedNameByName) {
  ASSERT_EQ(put(R"({"http":{"url":"http://127.0.0.1:2/","headers":{"x-b":"2"},"answers":{"410":"retry"},)"
                R"("secret_headers":{"x-key":"env:MAKEGOOD_SECRET_B"}}})")
                .status,
            200);
  EXPECT_EQ(text_at(now(), "/http/url"), "http://127.0.0.1:2/");
  EXPECT_EQ(at(now(), "/http/headers"), R"({"x-a":"1","x-b":"2"})");
  EXPECT_EQ(at(now(), "/http/answers"), R"({"404":"ok","410":"retry"})");
  EXPECT_EQ(at(now(), "/http/secret_headers"),
            R"({"authorization":"env:MAKEGOOD_SECRET_A","x-key":"env:MAKEGOOD_SECRET_B"})");
}

TEST_F(ChangedDestination, LosesNoSecretUnlessThatIsAskedFor) {
  const Answer refused = put(R"({"http":{"signing_keys":["env:MAKEGOOD_SECRET_NEW"]}})");
  EXPECT_EQ(refused.status, 400) << refused.body;
  EXPECT_NE(
      detail(refused).find("http would lose signing_keys env:MAKEGOOD_SECRET_OLD; name it too, or send all of the "
                           "destination and say replace"),
      std::string::npos)
      << detail(refused);
  EXPECT_EQ(put(R"({"http":{"signing_keys":["env:MAKEGOOD_SECRET_NEW","env:MAKEGOOD_SECRET_OLD"]}})").status, 200);
  EXPECT_EQ(size_at(now(), "/http/signing_keys"), 2U);
}

TEST_F(ChangedDestination, IsTheWholeDocumentWhenThatIsAskedFor) {
  ASSERT_EQ(put(R"({"http":{"url":"http://127.0.0.1:2/"}})", "replace=true").status, 200);
  EXPECT_EQ(at(now(), "/rate_max"), "0.0");
  EXPECT_EQ(at(now(), "/http"), R"({"url":"http://127.0.0.1:2/"})");
  EXPECT_EQ(put("{}", "replace=true").status, 400) << "the whole of it needs a url";
  EXPECT_EQ(put("{}", "replace=perhaps").status, 400);
}

TEST_F(ChangedDestination, IsChangedByApplyInTheSameWay) {
  const auto applied = [&](const std::string& more) {
    return place.post("apply", R"({"destinations":[{"name":"http:billing","rate_max":9}])" + more + "}");
  };
  const Answer changed = applied("");
  ASSERT_EQ(changed.status, 200) << changed.body;
  EXPECT_EQ(at(changed, "/changes/0/fields"), R"([{"name":"rate_max","from":5.0,"to":9.0}])");
  EXPECT_EQ(size_at(now(), "/http/signing_keys"), 1U);
  EXPECT_EQ(applied(R"(,"replace":true)").status, 400) << "the whole of it needs a url";
}

TEST_F(ChangedDestination, HasAUrlOrPrefixes) {
  ASSERT_EQ(put(R"({"http":{"raw_prefixes":["https://hooks.example.com/in"]}})").status, 200);
  EXPECT_EQ(at(now(), "/http/url"), "missing");
  ASSERT_EQ(put(R"({"http":{"url":"http://127.0.0.1:2/"}})").status, 200);
  EXPECT_EQ(at(now(), "/http/raw_prefixes"), "missing");
}

TEST_F(Destinations, AskForNothingWhenNothingChanges) {
  ASSERT_EQ(put("http:billing").status, 200);
  const Answer again = put("http:billing");
  EXPECT_EQ(again.status, 200);
  EXPECT_EQ(at(again, "/request"), "null");
  const Answer read = place.get("destinations/http:billing");
  EXPECT_EQ(at(place.put("destinations/http:billing", read.body), "/request"), "null")
      << "what was read can be put back";
}

TEST_F(Destinations, KeepTheReasonOfAChange) {
  Call call{
      .method = "PUT", .path = "/api/outboxes/makegood_outbox/destinations/http:a", .query = "reason=new+service"};
  call.content_type = "application/json";
  call.body = R"({"http":{"url":"http://127.0.0.1/"}})";
  const Answer answer = place.call(call);
  ASSERT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(text_at(place.get("requests/" + at(answer, "/request")), "/reason"), "new service");
}

TEST_F(Destinations, AreDisabledAndEnabled) {
  ASSERT_EQ(put("http:billing").status, 200);
  EXPECT_EQ(place.post("destinations/http:billing/disable", R"({"reason":"x"})").status, 200);
  EXPECT_EQ(text_at(place.get("destinations/http:billing"), "/health/state"), "paused");
  EXPECT_EQ(place.post("destinations/http:billing/enable").status, 200);
  EXPECT_TRUE(eventually([&] { return text_at(place.get("destinations/http:billing"), "/health/state") == "up"; }));
}

TEST_F(Destinations, AreTestedWithOneMadeUpMessage) {
  ASSERT_EQ(put("http:billing").status, 200);
  const Answer good = place.post("destinations/http:billing/test");
  ASSERT_EQ(good.status, 200) << good.body;
  EXPECT_EQ(text_at(good, "/outcome"), "ok");
  EXPECT_GE(number_at(good, "/duration_ms"), 0);
  EXPECT_EQ(server.received().at(0).headers.at("ce-type"), "makegood.test");

  status = 500;
  const Answer bad = place.post("destinations/http:billing/test", R"({"topic":"order.placed","payload":{"a": 1.0}})");
  EXPECT_EQ(text_at(bad, "/outcome"), "retry");
  EXPECT_EQ(server.received().at(1).body, R"({"a": 1.0})");
  status = 404;
  EXPECT_EQ(text_at(place.post("destinations/http:billing/test"), "/outcome"), "fail");
  status = 410;
  EXPECT_EQ(text_at(place.post("destinations/http:billing/test"), "/outcome"), "gone");
  EXPECT_EQ(size_at(place.get("messages"), "/items"), 0U) << "nothing went through the log";
}

TEST_F(Destinations, ThatAreNotHttpCannotBeTested) {
  ASSERT_EQ(place.put("destinations/fn:a", "{}").status, 200);
  EXPECT_EQ(place.post("destinations/fn:a/test").status, 400);
  EXPECT_EQ(place.post("destinations/http:none/test").status, 404);
  EXPECT_EQ(place.post("destinations/fn:a/test", R"({"topik":1})").status, 400);
}

TEST_F(Destinations, AreRefusedByTheirTransport) {
  const Answer answer = place.put("destinations/http:billing", R"({"http":{"url":"ftp://a","headers":{"Host":"x"}}})");
  EXPECT_EQ(answer.status, 400);
  EXPECT_NE(detail(answer).find("http: The destination http:billing has 2 mistakes"), std::string::npos)
      << detail(answer);
}

}  // namespace
}  // namespace makegood::api
