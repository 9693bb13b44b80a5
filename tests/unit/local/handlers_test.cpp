#include "makegood/handlers.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <utility>

#include "tests/support/committed_message.hpp"
#include "transports/local/routes.hpp"
#include "transports/local/run.hpp"

namespace makegood::local {
namespace {

Outcome ok(const Delivery&) { return Outcome::ok(); }

Delivery delivery_to(const std::string& destination, const std::string& topic) {
  return {.message = testing_support::committed_message({.topic = topic}),
          .destination = std::make_shared<const Destination>(Destination{.name = destination}),
          .outbox = "makegood_outbox"};
}

Outcome run_one(Handler handler) {
  HandlerRoutes routes;
  routes.add("*", "one", std::move(handler), {});
  return judged_by_outbox(run(routes, delivery_to("fn:one", "t")));
}

TEST(Handlers, NamesDestinationsAfterTheirHandlersAndKeepsTheirSettings) {
  Handlers handlers;
  handlers.on("order.*", "billing", ok, {.name = "ignored", .in_flight_max = 7}).on("*", "audit", ok);
  const auto destinations = handlers.destinations();
  ASSERT_EQ(destinations.size(), 2U);
  EXPECT_EQ(destinations[0].name, "fn:audit");
  EXPECT_EQ(destinations[1].name, "fn:billing");
  EXPECT_EQ(destinations[1].in_flight_max, 7U);
  const auto routes = handlers.routes();
  ASSERT_EQ(routes.size(), 2U);
  EXPECT_EQ(routes[0].pattern, "order.*");
  EXPECT_EQ(routes[0].destination, "fn:billing");
}

TEST(Handlers, AddARouteWhenTheNameIsRegisteredAgain) {
  Handlers handlers;
  handlers.on("order.*", "billing", ok, {.name = {}, .in_flight_max = 7}).on("refund.*", "billing", ok);
  ASSERT_EQ(handlers.destinations().size(), 1U);
  EXPECT_EQ(handlers.destinations()[0].in_flight_max, 7U);
  EXPECT_EQ(handlers.routes().size(), 2U);
}

TEST(Handlers, LetThePatternChooseAmongHandlersOfOneName) {
  HandlerRoutes routes;
  routes.add("order.*", "billing", [](const Delivery&) { return Outcome::fail("ORDER"); }, {});
  routes.add("refund.*", "billing", [](const Delivery&) { return Outcome::fail("REFUND"); }, {});
  EXPECT_EQ(run(routes, delivery_to("fn:billing", "refund.asked")).code, "REFUND");
  EXPECT_EQ(run(routes, delivery_to("fn:billing", "order.paid")).code, "ORDER");
  EXPECT_EQ(run(routes, delivery_to("fn:billing", "stock.low")).code, "TX.NO_ROUTE");
}

TEST(Handlers, LetASingleHandlerTakeTopicsThatWereRoutedToItElsewhere) {
  HandlerRoutes routes;
  routes.add("order.*", "billing", ok, {});
  EXPECT_EQ(run(routes, delivery_to("fn:billing", "stock.low")).verdict, Outcome::Kind::ok);
}

TEST(Handlers, FailADestinationThatNobodyServes) {
  const Outcome outcome = judged_by_outbox(run(HandlerRoutes{}, delivery_to("fn:nobody", "t")));
  EXPECT_EQ(outcome.kind, Outcome::Kind::fail);
  EXPECT_EQ(outcome.code, "TX.NO_ROUTE");
}

TEST(Handlers, TurnAnExceptionIntoARetryWithItsText) {
  const Outcome outcome = run_one([](const Delivery&) -> Outcome { throw std::runtime_error("no paper"); });
  EXPECT_EQ(outcome.kind, Outcome::Kind::retry);
  EXPECT_EQ(outcome.code, "UNKNOWN.INTERNAL");
  EXPECT_EQ(outcome.detail, "no paper");
}

TEST(Handlers, TurnAnythingThrownIntoARetry) {
  const Outcome outcome = run_one([](const Delivery&) -> Outcome { throw 7; });
  EXPECT_EQ(outcome.kind, Outcome::Kind::retry);
  EXPECT_EQ(outcome.code, "UNKNOWN.INTERNAL");
}

TEST(Handlers, CutTheTextOfAnExceptionBetweenCharacters) {
  const std::string text = std::string(2047, 'x') + "ä" + std::string(100, 'y');
  const Outcome outcome = run_one([&](const Delivery&) -> Outcome { throw std::runtime_error(text); });
  EXPECT_EQ(outcome.detail, std::string(2047, 'x'));
}

TEST(HandlersDeathTest, RefuseANameThatCannotBeADestination) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  for (const char* name : {"", "two words", "a:b", "a/b", "ä"}) {
    EXPECT_DEATH(Handlers().on("*", name, ok), "is_handler_name");
  }
}

TEST(HandlersDeathTest, RefuseTheSamePatternTwiceUnderOneName) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_DEATH(Handlers().on("*", "a", ok).on("*", "a", ok), "none_of");
}

TEST(Handlers, LetAStepWhoseFunctionIsMissingWait) {
  Delivery step = delivery_to("fn:charge", "orderProcess");
  step.call =
      std::make_shared<const StepCall>(StepCall{.execution = "order-7", .step = "payment", .direction = "action"});
  const Reply reply = run(HandlerRoutes(), step);
  EXPECT_EQ(reply.what, Reply::What::unreachable) << "it never left, so it was certainly not done";
  EXPECT_EQ(reply.code, "TX.NO_ROUTE");
  EXPECT_FALSE(reply.verdict);
}

}  // namespace
}  // namespace makegood::local
