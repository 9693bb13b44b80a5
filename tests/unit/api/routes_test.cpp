// The table of routes: equal to the OpenAPI document, with the right roles; and what happens beside it.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <set>

#include "tests/unit/api/place.hpp"

namespace makegood::api {
namespace {

std::string upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

std::set<std::string> documented() {
  std::set<std::string> found;
  const std::set<std::string> methods = {"get", "put", "post", "delete", "patch", "head", "options", "trace"};
  for (const auto& path : YAML::Load(std::string(openapi()))["paths"]) {
    for (const auto& operation : path.second) {
      const auto method = operation.first.as<std::string>();
      if (!methods.contains(method)) continue;
      found.insert(fmt::format("{} {} {}", upper(method), path.first.as<std::string>(),
                               operation.second["x-role"].as<std::string>()));
    }
  }
  return found;
}

/// Operations that the document gives a parameter of this name.
std::set<std::string> with_parameter(const std::string& name) {
  std::set<std::string> found;
  for (const auto& path : YAML::Load(std::string(openapi()))["paths"]) {
    for (const auto& operation : path.second) {
      for (const auto& parameter : operation.second["parameters"]) {
        if (parameter["name"].as<std::string>() == name)
          found.insert(operation.second["operationId"].as<std::string>());
      }
    }
  }
  return found;
}

constexpr std::array role_names = {"anyone", "metrics", "producer", "viewer", "operate"};

TEST(Routes, AreThoseOfTheDocumentWithTheSameRoles) {
  std::set<std::string> served;
  for (const RouteView& route : routes()) {
    served.insert(
        fmt::format("{} {} {}", route.method, route.path, role_names.at(static_cast<std::size_t>(route.role))));
  }
  EXPECT_EQ(served, documented());
}

TEST(Routes, SayWhichOfThemReadATraceAndAKey) {
  EXPECT_EQ(with_parameter("traceparent"), (std::set<std::string>{"enqueue", "execute_saga", "execute_inline_saga"}));
  EXPECT_EQ(with_parameter("tracestate"), (std::set<std::string>{"enqueue"}));
  EXPECT_EQ(with_parameter("Idempotency-Key"), (std::set<std::string>{"execute_saga", "execute_inline_saga"}));
}

TEST(Routes, LetAProducerDoWhatItsDocumentsSay) {
  std::set<std::string> found;
  for (const RouteView& route : routes()) {
    if (route.role == Role::producer) found.insert(std::string(route.path));
  }
  EXPECT_EQ(found, (std::set<std::string>{"/api/outboxes/{outbox}/messages", "/api/idempotency/claim",
                                          "/api/idempotency/renew", "/api/idempotency/finish", "/api/idempotency/fail",
                                          "/api/saga/execute", "/api/saga/executions/{execution}/events"}))
      << "serve.md and rest.md list them";
}

TEST(Routes, NeedAnOperatorForWhateverChangesSomething) {
  for (const RouteView& route : routes()) {
    const bool has_own_proof = route.role == Role::anyone;
    EXPECT_EQ(may(Role::viewer, route.role), route.method == "GET" || has_own_proof) << route.method << route.path;
    EXPECT_TRUE(may(Role::operate, route.role));
  }
  EXPECT_EQ(role_for("POST", "/api/outboxes/any/messages"), Role::producer);
  EXPECT_EQ(role_for("GET", "/metrics"), Role::metrics);
  EXPECT_EQ(role_for("DELETE", "/api/outboxes/any/destinations/http%3Aa"), Role::operate);
  EXPECT_EQ(role_for("GET", "/api/outboxes/any/messages"), Role::viewer);
  EXPECT_EQ(role_for("POST", "/api/saga/execute"), Role::producer);
  EXPECT_EQ(role_for("POST", "/api/saga/executions/order-7/steps/payment/answer"), Role::anyone);
  EXPECT_EQ(role_for("POST", "/api/saga/executions/order-7/cancel"), Role::operate);
  EXPECT_EQ(role_for("POST", "/nowhere"), Role::viewer);
}

TEST(Routes, SayWhatAPathMayHaveMeant) {
  Place place;
  const Answer answer = place.get("/api/statsu");
  EXPECT_EQ(answer.status, 404);
  EXPECT_EQ(answer.content_type, "application/problem+json");
  EXPECT_EQ(detail(answer), "There is no path '/api/statsu'. Is it /api/status?");
  EXPECT_EQ(text_at(answer, "/code"), "REQUEST.NOT_FOUND");
  for (const char* path : {"/", "/api", "/api/", "/api/status/", "/api//status", "/api/outboxes//messages"}) {
    EXPECT_EQ(place.get(path).status, 404) << path;
  }
}

TEST(Routes, SayWhichMethodsAPathHas) {
  Place place;
  const Answer answer = place.call({.method = "PATCH", .path = "/api/outboxes/makegood_outbox/routes"});
  EXPECT_EQ(answer.status, 405);
  ASSERT_EQ(answer.headers.size(), 1U);
  EXPECT_EQ(answer.headers[0], (std::pair<std::string, std::string>("Allow", "GET, PUT")));
}

TEST(Routes, RefuseABadEscape) {
  Place place;
  EXPECT_EQ(place.get("destinations/http%3").status, 400);
  EXPECT_EQ(place.get("destinations/http%FF").status, 400);
}

TEST(Routes, KnowOnlyTheirOutboxes) {
  Place place;
  const Answer answer = place.get("/api/outboxes/makegood_outbux/messages");
  EXPECT_EQ(answer.status, 404);
  EXPECT_EQ(detail(answer), "There is no outbox 'makegood_outbux' here. Is it makegood_outbox?");
}

TEST(Routes, TakeNothingButJson) {
  Place place;
  for (const char* type : {"", "text/plain", "application/x-www-form-urlencoded", "application/jsonp"}) {
    Call call{.method = "POST", .path = "/api/outboxes/makegood_outbox/pause", .content_type = type, .body = "{}"};
    EXPECT_EQ(place.call(call).status, 415) << type;
  }
  Call call{.method = "POST", .path = "/api/outboxes/makegood_outbox/pause", .body = R"({"destination":"fn:a"})"};
  call.content_type = "Application/JSON; charset=utf-8";
  EXPECT_EQ(place.call(call).status, 202);
}

TEST(Routes, WantABody) {
  Place place;
  EXPECT_EQ(detail(place.post("pause", "")), "The body is missing; send {} if there is nothing to say.");
  EXPECT_EQ(detail(place.post("pause", "[]")), "The body must be a JSON object.");
  EXPECT_EQ(place.post("pause", "{").status, 400);
}

TEST(Routes, RefuseAQueryThatNobodyReads) {
  Place place;
  EXPECT_EQ(detail(place.get("/api/status", "verbose=1")),
            "The query has 1 mistake: verbose is not a parameter; none is allowed.");
}

TEST(Routes, LeaveTheServersOwnToTheServer) {
  Place place;
  for (const char* path : {"/api/events", "/healthz", "/readyz", "/metrics", "/debug/prometheus"}) {
    EXPECT_EQ(place.get(path).status, 404) << path;
  }
}

TEST(Routes, ServeTheDocument) {
  Place place;
  const Answer answer = place.get("/api/openapi.yaml");
  EXPECT_EQ(answer.content_type, "application/yaml");
  EXPECT_EQ(answer.body, openapi());
  // Another program looks whether it is valid.
  if (const char* file = std::getenv("MAKEGOOD_DOCUMENT_FILE")) std::ofstream(file) << answer.body;
}

TEST(Problem, NeverTellsDiagnostics) {
  const Answer answer = problem({Errc::store_unavailable, "It is locked.", "SQLite 5: secret"});
  EXPECT_EQ(answer.status, 503);
  EXPECT_EQ(answer.body.find("secret"), std::string::npos);
  EXPECT_EQ(at(answer, "/retryable"), "true");
  EXPECT_EQ(at(answer, "/status"), "503");
  EXPECT_EQ(text_at(answer, "/title"), "Service Unavailable");
  ASSERT_EQ(answer.headers.size(), 1U);
  EXPECT_EQ(answer.headers[0].first, "Retry-After");
}

TEST(Problem, HasAStatusForEachCode) {
  EXPECT_EQ(problem({Errc::invalid, ""}).status, 400);
  EXPECT_EQ(problem({Errc::config_invalid, ""}).status, 400);
  EXPECT_EQ(problem({Errc::not_found, ""}).status, 404);
  EXPECT_EQ(problem({Errc::conflict, ""}).status, 409);
  EXPECT_EQ(problem({Errc::payload_too_large, ""}).status, 413);
  EXPECT_EQ(problem({Errc::validation_failed, ""}).status, 422);
  EXPECT_EQ(problem({Errc::internal, ""}).status, 500);
  EXPECT_EQ(problem({Errc::schema_mismatch, ""}).status, 503);
  EXPECT_EQ(problem({Errc::store_full, ""}).status, 507);
  EXPECT_TRUE(problem({Errc::schema_mismatch, ""}).headers.empty()) << "to wait does not help";
}

}  // namespace
}  // namespace makegood::api
