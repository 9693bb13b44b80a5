#include "server/gate.hpp"

#include <gtest/gtest.h>

namespace makegood::server {
namespace {

const Address loopback{.host = "127.0.0.1", .port = 7700, .is_loopback = true};
const Address everywhere{.host = "0.0.0.0", .port = 7700, .is_loopback = false};
const std::vector<Token> two_tokens = {{"0123456789abcdef-view", api::Role::viewer, "wall"},
                                       {"0123456789abcdef-ann", api::Role::operate, "ann"}};

/// 0: let in.
int status_of(const Gate& gate, const Head& head) {
  const auto verdict = gate.judge(head);
  const auto* refusal = std::get_if<api::Answer>(&verdict);
  return refusal == nullptr ? 0 : refusal->status;
}

TEST(Gate, DoesNotOpenToOthersWithoutAToken) {
  const auto gate = Gate::open({}, everywhere);
  ASSERT_FALSE(gate);
  EXPECT_EQ(gate.error().code, Errc::config_invalid);
  EXPECT_NE(gate.error().message.find("server.token_file"), std::string::npos);
  EXPECT_TRUE(Gate::open(two_tokens, everywhere));
}

TEST(Gate, LetsEverybodyOnThisMachineInWithoutTokens) {
  const Gate gate = *Gate::open({}, loopback);
  EXPECT_EQ(status_of(gate, {.method = "POST", .path = "/api/jobs", .host = "127.0.0.1:7700"}), 0);
  EXPECT_EQ(status_of(gate, {.method = "GET", .path = "/api/jobs", .host = "localhost"}), 0);
}

TEST(Gate, RefusesABrowserThatWasSentByAnotherSite) {
  const Gate gate = *Gate::open({}, loopback);
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
  const Gate gate = *Gate::open(two_tokens, everywhere);
  const auto verdict = gate.judge({.method = "GET", .path = "/api/status"});
  const auto& refusal = std::get<api::Answer>(verdict);
  EXPECT_EQ(refusal.status, 401);
  EXPECT_EQ(refusal.headers.front().first, "WWW-Authenticate");
  EXPECT_EQ(status_of(gate, {.method = "GET", .path = "/api/status", .authorization = "Bearer wrong"}), 401);
  EXPECT_EQ(status_of(gate, {.method = "GET", .path = "/metrics"}), 401);
}

TEST(Gate, LetsAViewerLookAndNoMore) {
  const Gate gate = *Gate::open(two_tokens, everywhere);
  constexpr const char* viewer = "Bearer 0123456789abcdef-view";
  EXPECT_EQ(status_of(gate, {.method = "GET", .path = "/api/status", .authorization = viewer}), 0);
  EXPECT_EQ(status_of(gate, {.method = "POST", .path = "/api/outboxes/o/messages", .authorization = viewer}), 403);
}

TEST(Gate, KeepsTheNameOfTheOperator) {
  const Gate gate = *Gate::open(two_tokens, everywhere);
  const auto verdict = gate.judge({.method = "POST",
                                   .path = "/api/outboxes/o/messages",
                                   .authorization = "Bearer 0123456789abcdef-ann",
                                   .operator_name = "somebody else"});
  EXPECT_EQ(std::get<LetIn>(verdict).operator_name, "ann");
}

TEST(Gate, AnswersForTheHealthOfTheProcessToAnybody) {
  const Gate gate = *Gate::open(two_tokens, everywhere);
  EXPECT_EQ(status_of(gate, {.method = "GET", .path = "/healthz", .host = "evil.example"}), 0);
  EXPECT_EQ(status_of(gate, {.method = "GET", .path = "/readyz"}), 0);
}

}  // namespace
}  // namespace makegood::server
