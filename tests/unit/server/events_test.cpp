// What streams are told, and what they are not.
#include <gtest/gtest.h>

#include "server/event_filter.hpp"
#include "server/event_hub.hpp"
#include "server/event_text.hpp"
#include "tests/support/committed_message.hpp"

namespace makegood::server {
namespace {

EventFilter filter(const char* query) { return *parse_event_filter(query); }

EndedAttempt a_delivery(Fate fate = Fate::delivered, std::string detail = {}) {
  auto message = std::make_shared<Message>();
  message->sequence = 7;
  message->topic = "order.placed";
  message->tenant_id = "acme";
  message->content = R"({"card":"4111"})";
  auto destination = std::make_shared<Destination>();
  destination->name = "http:billing";
  return {.message = message, .destination = destination, .attempt = 1, .fate = fate, .detail = std::move(detail)};
}

TEST(EventFilter, WantsEverythingUnlessItSaysOtherwise) {
  EXPECT_TRUE(filter("").wants({.kind = EventKind::alarm, .outbox = "o"}));
  EXPECT_TRUE(filter("topic=*").wants({.kind = EventKind::alarm}));
  EXPECT_FALSE(filter("topic=order.*").wants({.kind = EventKind::alarm}));
  EXPECT_TRUE(filter("topic=order.%2A").wants({.kind = EventKind::died, .topic = "order.placed"}));
  EXPECT_FALSE(filter("topic=order.*").wants({.kind = EventKind::died, .topic = "invoice.sent"}));
  EXPECT_FALSE(filter("outbox=a").wants({.kind = EventKind::died, .outbox = "b"}));
  EXPECT_FALSE(filter("tenant=a").wants({.kind = EventKind::died, .tenant = "b"}));
}

TEST(EventFilter, ChoosesKinds) {
  const EventFilter wanted = filter("kind=died,alarm");
  EXPECT_TRUE(wanted.wants({.kind = EventKind::died}));
  EXPECT_TRUE(wanted.wants({.kind = EventKind::alarm}));
  EXPECT_FALSE(wanted.wants({.kind = EventKind::delivered}));
}

TEST(EventFilter, NamesWhatItDoesNotUnderstand) {
  for (const char* query : {"kind=dead", "colour=red", "topic=%zz"}) {
    const auto parsed = parse_event_filter(query);
    ASSERT_FALSE(parsed) << query;
    EXPECT_EQ(parsed.error().code, Errc::invalid);
  }
  EXPECT_NE(parse_event_filter("kind=dead").error().message.find("died"), std::string::npos);
}

TEST(EventText, IsOneLineOfJsonWithoutThePayload) {
  const std::string text = attempt_event("o", a_delivery(Fate::died, "cannot take {\"card\":\"4111\"}"), {});
  EXPECT_TRUE(text.starts_with("event: died\ndata: {\"at\":\"1970-01-01T00:00:00.000Z\",\"outbox\":\"o\"")) << text;
  EXPECT_TRUE(text.ends_with("}\n\n"));
  EXPECT_EQ(std::ranges::count(text, '\n'), 3);
  EXPECT_EQ(text.find("4111"), std::string::npos);
  EXPECT_NE(text.find("\"destination\":\"http:billing\""), std::string::npos);
}

TEST(Hub, TellsEachStreamWhatItWants) {
  EventHub hub;
  int woken = 0;
  const auto all = hub.subscribe({}, [&] { ++woken; });
  const auto none = hub.subscribe(filter("topic=invoice.*"), [&] { FAIL(); });
  const std::vector<EndedAttempt> two = {a_delivery(), a_delivery(Fate::retried)};
  hub.attempts_ended("o", two);
  EXPECT_EQ(woken, 1);
  const std::string text = all->take();
  EXPECT_NE(text.find("event: delivered"), std::string::npos);
  EXPECT_NE(text.find("event: retried"), std::string::npos);
  EXPECT_EQ(all->take(), "");
  EXPECT_EQ(none->take(), "");
}

TEST(Hub, TellsOfSagasAndOfTheirStepsWithoutWhatTheyReturn) {
  EventHub hub;
  const auto sagas = hub.subscribe(filter("kind=saga&topic=order*&tenant=acme"), [] {});
  const auto steps = hub.subscribe(filter("kind=step"), [] {});
  const std::vector<SagaNews> news = {
      {.kind = SagaNews::Kind::step_ended,
       .definition = "orderProcess",
       .tenant_id = "acme",
       .id = "o-7",
       .step = "pay"},
      {.kind = SagaNews::Kind::completed,
       .definition = "orderProcess",
       .tenant_id = "acme",
       .id = "o-7",
       .output = R"({"card":"4111"})",
       .took = std::chrono::milliseconds(12)},
      {.kind = SagaNews::Kind::failed, .definition = "refund", .tenant_id = "acme", .id = "r-1"},
      {.kind = SagaNews::Kind::failed, .definition = "orderProcess", .tenant_id = "other", .id = "o-8"}};
  hub.sagas("makegood_saga", news);
  const std::string told = sagas->take();
  EXPECT_TRUE(told.starts_with("event: saga\ndata: {")) << told;
  EXPECT_NE(told.find(R"("outbox":"makegood_saga","what":"completed","definition":"orderProcess",)"
                      R"("tenant_id":"acme","execution":"o-7","step":"","code":"","duration_ms":12)"),
            std::string::npos)
      << told;
  EXPECT_EQ(told.find("4111"), std::string::npos);
  EXPECT_EQ(std::ranges::count(told, '\n'), 3) << "nobody else's";
  EXPECT_NE(steps->take().find(R"("what":"step_ended")"), std::string::npos);
}

TEST(Hub, TellsOfSourcesButNotHowMuchIsLeftAtTheBroker) {
  EventHub hub;
  const auto sources = hub.subscribe(filter("kind=source"), [] {});
  hub.source("orders_in", "kafka:orders", {.kind = SourceNews::Kind::behind, .count = 3});
  EXPECT_EQ(sources->take(), "");
  hub.source("orders_in", "kafka:orders",
             {.kind = SourceNews::Kind::stopped, .code = "SOURCE.GONE", .error = "It is gone."});
  const std::string told = sources->take();
  EXPECT_TRUE(told.starts_with("event: source\ndata: {")) << told;
  EXPECT_NE(told.find(R"("what":"stopped","source":"kafka:orders","code":"SOURCE.GONE","detail":"It is gone.")"),
            std::string::npos)
      << told;
}

TEST(Hub, TellsOfKeysAndOfWhatChangedNothingOnlyWhoAsks) {
  EventHub hub;
  const auto all = hub.subscribe(filter(""), [] {});
  const auto of_tenant = hub.subscribe(filter("kind=key&tenant=acme&topic=pay"), [] {});
  const auto told = hub.subscribe(filter("kind=key_told"), [] {});
  const IdempotencyKey key{.tenant_id = "acme", .scope = "pay", .key = "7f3c"};
  hub.key({.kind = api::KeyNews::Kind::told, .key = key, .code = "hit"});
  EXPECT_EQ(all->take(), "");
  hub.key({.kind = api::KeyNews::Kind::taken_over, .key = key});
  hub.key({.kind = api::KeyNews::Kind::failed, .key = {.scope = "pay", .key = "other"}, .code = "NO"});
  hub.key({.kind = api::KeyNews::Kind::purged, .count = 12});
  const std::string of_acme = of_tenant->take();
  EXPECT_TRUE(of_acme.starts_with("event: key\ndata: {")) << of_acme;
  EXPECT_NE(of_acme.find(R"("what":"taken_over","tenant_id":"acme","scope":"pay","key":"7f3c")"), std::string::npos);
  EXPECT_EQ(std::ranges::count(of_acme, '\n'), 3) << "nobody else's";
  EXPECT_NE(all->take().find(R"("what":"purged","tenant_id":"","scope":"","key":"","code":"","count":12)"),
            std::string::npos);
  EXPECT_NE(told->take().find(R"("what":"told")"), std::string::npos);
}

TEST(Hub, WakesAStreamAgainAfterItHasTaken) {
  EventHub hub;
  int woken = 0;
  const auto stream = hub.subscribe({}, [&] { ++woken; });
  hub.alarm("o", {Errc::store_full, "full"});
  stream->take();
  hub.alarm("o", {Errc::store_full, "full"});
  EXPECT_EQ(woken, 2);
}

TEST(Hub, CountsWhatASlowStreamMisses) {
  EventHub hub;
  const auto stream = hub.subscribe({}, [] {});
  const std::vector<EndedAttempt> many(Subscription::events_max + 5, a_delivery());
  hub.attempts_ended("o", many);
  EXPECT_TRUE(stream->take().ends_with("event: missed\ndata: {\"count\":5}\n\n"));
  hub.ownership("o", "taken", "me");
  EXPECT_TRUE(stream->take().starts_with("event: ownership"));
}

TEST(Hub, ForgetsAStreamThatHasGone) {
  EventHub hub;
  int woken = 0;
  hub.subscribe({}, [&] { ++woken; }).reset();
  hub.alarm("o", {Errc::store_full, "full"});
  EXPECT_EQ(woken, 0);
}

}  // namespace
}  // namespace makegood::server
