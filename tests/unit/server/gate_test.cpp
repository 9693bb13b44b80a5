#include "server/gate.hpp"

#include <gtest/gtest.h>

namespace makegood::server {
namespace {

const Address loopback{.host = "127.0.0.1", .port = 7700, .is_loopback = true};
const Address everywhere{.host = "0.0.0.0", .port = 7700, .is_loopback = false};
const std::vector<Token> tokens_of_all = {{"0123456789abcdef-view", api::Role::viewer, "wall"},
                                          {"0123456789abcdef-ann", api::Role::operate, "ann"},
                                          {"0123456789abcdef-shop", api::Role::producer, "shop"},
                                          {"0123456789abcdef-prom", api::Role::metrics, "prom"}};

/// 0: let in.
int status_of(const Gate& gate, const Head& head) {
  const auto verdict = gate.judge(head);
  const auto* refusal = std::get_if<api::Answer>(&verdict);
  return refusal == nullptr ? 0 : refusal->status;
}

TEST(Gate, DoesNotOpenToOthersWithoutAToken) {
  const auto gate = Gate::open({.listen = everywhere});
  ASSERT_FALSE(gate);
  EXPECT_EQ(gate.error().code, Errc::config_invalid);
  EXPECT_NE(gate.error().message.find("server.token_file"), std::string::npos);
  EXPECT_TRUE(Gate::open({.listen = everywhere, .tokens = tokens_of_all, .metrics_path = "/own"}));
}

TEST(Gate, LetsEverybodyOnThisMachineInWithoutTokens) {
  const Gate gate = *Gate::open({.listen = loopback, .is_open_on_loopback = true});
  EXPECT_EQ(status_of(gate, {.method = "POST", .path = "/api/jobs", .host = "127.0.0.1:7700"}), 0);
  EXPECT_EQ(status_of(gate, {.method = "GET", .path = "/api/jobs", .host = "localhost"}), 0);
}

TEST(Gate, RefusesABrowserThatWasSentByAnotherSite) {
  const Gate gate = *Gate::open({.listen = loopback, .is_open_on_loopback = true});
  EXPECT_EQ(status_of(gate, {.method = "GET", .path = "/api/jobs", .host = "evil.example:7700"}), 403);
  EXPECT_EQ(
      status_of(gate,
                {.method = "POST", .path = "/api/jobs", .host = "127.0.0.1:7700", .origin = "https://evil.example"}),
      403);
  EXPECT_EQ(
      status_of(gate,
                {.method = "POST", .path = "/api/jobs", .host = "127.0.0.1:7700", .origin = "http://127.0.0.1:7700"}),
      0);
}

TEST(Gate, AsksForATokenAndTellsHow) {
  const Gate gate = *Gate::open({.listen = everywhere, .tokens = tokens_of_all, .metrics_path = "/own"});
  const auto verdict = gate.judge({.method = "GET", .path = "/api/status"});
  const auto& refusal = std::get<api::Answer>(verdict);
  EXPECT_EQ(refusal.status, 401);
  EXPECT_EQ(refusal.headers.front().first, "WWW-Authenticate");
  EXPECT_EQ(status_of(gate, {.method = "GET", .path = "/api/status", .authorization = "Bearer wrong"}), 401);
  EXPECT_EQ(status_of(gate, {.method = "GET", .path = "/metrics"}), 401);
}

TEST(Gate, LetsACallbackInWhoseOwnTokenIsItsProof) {
  const Gate gate = *Gate::open({.listen = everywhere, .tokens = tokens_of_all, .metrics_path = "/own"});
  const Head callback{.method = "POST", .path = "/api/saga/executions/order-7/steps/payment/answer"};
  const auto verdict = gate.judge(callback);
  ASSERT_TRUE(std::holds_alternative<LetIn>(verdict));
  EXPECT_EQ(std::get<LetIn>(verdict).role, api::Role::anyone);
  EXPECT_EQ(status_of(gate, {.method = "GET", .path = callback.path}), 401);
  EXPECT_EQ(status_of(gate, {.method = "POST", .path = "/api/saga/executions/order-7/cancel"}), 401);
}

TEST(Gate, LetsAViewerLookAndNoMore) {
  const Gate gate = *Gate::open({.listen = everywhere, .tokens = tokens_of_all, .metrics_path = "/own"});
  constexpr const char* viewer = "Bearer 0123456789abcdef-view";
  EXPECT_EQ(status_of(gate, {.method = "GET", .path = "/api/status", .authorization = viewer}), 0);
  EXPECT_EQ(status_of(gate, {.method = "POST", .path = "/api/outboxes/o/messages", .authorization = viewer}), 403);
}

TEST(Gate, LetsAProducerEnqueueAndNoMore) {
  const Gate gate = *Gate::open({.listen = everywhere, .tokens = tokens_of_all});
  constexpr const char* producer = "Bearer 0123456789abcdef-shop";
  EXPECT_EQ(status_of(gate, {.method = "POST", .path = "/api/outboxes/o/messages", .authorization = producer}), 0);
  EXPECT_EQ(status_of(gate, {.method = "GET", .path = "/api/outboxes/o/messages", .authorization = producer}), 403);
  EXPECT_EQ(status_of(gate, {.method = "GET", .path = "/metrics", .authorization = producer}), 403);
  EXPECT_EQ(status_of(gate, {.method = "POST", .path = "/api/outboxes/o/pause", .authorization = producer}), 403);
}

TEST(Gate, LetsMetricsBeReadWhereverTheyAre) {
  const Gate gate = *Gate::open({.listen = everywhere, .tokens = tokens_of_all, .metrics_path = "/own"});
  constexpr const char* metrics = "Bearer 0123456789abcdef-prom";
  EXPECT_EQ(status_of(gate, {.method = "GET", .path = "/metrics", .authorization = metrics}), 0);
  EXPECT_EQ(status_of(gate, {.method = "GET", .path = "/own", .authorization = metrics}), 0);
  EXPECT_EQ(status_of(gate, {.method = "GET", .path = "/api/status", .authorization = metrics}), 403);
  EXPECT_EQ(status_of(gate, {.method = "GET", .path = "/own", .authorization = "Bearer 0123456789abcdef-view"}), 0);
}

TEST(Gate, TellsWhichRoleACallNeeds) {
  const Gate gate = *Gate::open({.listen = everywhere, .tokens = tokens_of_all});
  const auto verdict =
      gate.judge({.method = "POST", .path = "/api/outboxes/o/pause", .authorization = "Bearer 0123456789abcdef-shop"});
  EXPECT_NE(std::get<api::Answer>(verdict).body.find("may only enqueue; the call needs one of the role operator"),
            std::string::npos);
}

TEST(Gate, AsksOnLoopbackForTheSecretOfTheProcess) {
  Gate gate = *Gate::open({.listen = loopback});
  gate.admit("0123456789abcdef-local");
  const Head knock{.method = "POST", .path = "/api/outboxes/o/pause", .host = "127.0.0.1:7700"};
  EXPECT_EQ(status_of(gate, knock), 401);
  Head known = knock;
  known.authorization = "Bearer 0123456789abcdef-local";
  known.operator_name = "ann";
  EXPECT_EQ(status_of(gate, known), 0);
  EXPECT_EQ(std::get<LetIn>(gate.judge(known)).operator_name, "ann");
  known.authorization = "Bearer 0123456789abcdef-locaL";
  EXPECT_EQ(status_of(gate, known), 401);
}

TEST(Gate, ChecksTheHostWithTheSecretOfTheProcessToo) {
  Gate gate = *Gate::open({.listen = loopback});
  gate.admit("0123456789abcdef-local");
  constexpr const char* secret = "Bearer 0123456789abcdef-local";
  EXPECT_EQ(status_of(gate, {.method = "GET", .path = "/api/jobs", .host = "evil.example", .authorization = secret}),
            403);
  EXPECT_EQ(status_of(gate, {.method = "GET",
                             .path = "/api/jobs",
                             .host = "127.0.0.1:7700",
                             .origin = "https://evil.example",
                             .authorization = secret}),
            403);
}

TEST(Gate, KnowsTheSecretOfTheProcessOnLoopbackOnly) {
  Gate gate = *Gate::open({.listen = everywhere, .tokens = tokens_of_all});
  gate.admit("0123456789abcdef-local");
  EXPECT_EQ(status_of(gate, {.method = "GET", .path = "/api/jobs", .authorization = "Bearer 0123456789abcdef-local"}),
            401);
}

TEST(Gate, TakesTheOperatorOfTheSocketFromTheSystem) {
  const Gate gate = *Gate::open({.listen = loopback});
  const auto verdict =
      gate.judge({.method = "POST", .path = "/api/outboxes/o/pause", .operator_name = "somebody else", .user = "ann"});
  EXPECT_EQ(std::get<LetIn>(verdict).operator_name, "ann");
  EXPECT_EQ(std::get<LetIn>(verdict).role, api::Role::operate);
}

TEST(Gate, KeepsTheNameOfTheOperator) {
  const Gate gate = *Gate::open({.listen = everywhere, .tokens = tokens_of_all, .metrics_path = "/own"});
  const auto verdict = gate.judge({.method = "POST",
                                   .path = "/api/outboxes/o/messages",
                                   .authorization = "Bearer 0123456789abcdef-ann",
                                   .operator_name = "somebody else"});
  EXPECT_EQ(std::get<LetIn>(verdict).operator_name, "ann");
}

TEST(Gate, AnswersForTheHealthOfTheProcessToAnybody) {
  const Gate gate = *Gate::open({.listen = everywhere, .tokens = tokens_of_all, .metrics_path = "/own"});
  EXPECT_EQ(status_of(gate, {.method = "GET", .path = "/healthz", .host = "evil.example"}), 0);
  EXPECT_EQ(status_of(gate, {.method = "GET", .path = "/readyz"}), 0);
}

}  // namespace
}  // namespace makegood::server
