// Replays by filter: counted first, at a rate, with progress, to be cancelled.
#include "api/jobs.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/support/loopback_server.hpp"
#include "tests/unit/api/place.hpp"

namespace makegood::api {
namespace {

using testing_support::a_message;
using testing_support::a_parked;
using testing_support::LoopbackServer;

class Replays : public testing::Test {
 protected:
  Replays() {
    place.register_routing(
        {.version = 1, .routes = {{"*", "http:a"}}, .destinations = {*http_destination("a", {.url = server.url()})}});
    std::vector<Turn::Change> parked;
    for (int i = 1; i <= 5; ++i) {
      place.enqueue(a_message(fmt::format("m{}", i)));
      parked.push_back(a_parked(i, "http:a").dead().with_error("TX.TIMEOUT", "slow"));
    }
    parked.push_back(a_parked(1, "fn:gone").dead().with_error("TX.REJECTED", "no"));
    place.turn(std::move(parked), {.reached = 5});
  }
  void use_jobs() {
    place.api_context().jobs = &jobs;
    place.reopen();
  }
  std::string state(const Answer& started) { return text_at(place.get("/api/jobs/" + at(started, "/job")), "/state"); }

  LoopbackServer server{[](const auto&) { return testing_support::reply(204); }};
  Place place;
  Jobs jobs;
};

TEST_F(Replays, AreCountedFirst) {
  EXPECT_EQ(at(place.post("dead/replay", R"({"filter":{},"dry_run":true})"), ""), R"({"count":6})");
  EXPECT_EQ(at(place.post("dead/replay", R"({"filter":{"destination":"http:a"},"dry_run":true})"), ""),
            R"({"count":5})");
  EXPECT_EQ(at(place.post("dead/replay", R"({"filter":{},"dry_run":true,"limit":2})"), ""), R"({"count":2})");
  EXPECT_EQ(size_at(place.get("requests"), "/items"), 0U);
}

TEST_F(Replays, GoOnAsAJobWithProgress) {
  place.start_relay();
  use_jobs();
  const Answer started = place.post(
      "dead/replay",
      R"({"filter":{"code":"TX.TIMEOUT","from":"2020-01-01T00:00:00Z"},"reason":"it is back","rate_per_second":1000})");
  ASSERT_EQ(started.status, 202) << started.body;
  EXPECT_EQ(text_at(started, "/filter/code"), "TX.TIMEOUT");
  EXPECT_EQ(text_at(started, "/operator"), "alice");
  EXPECT_TRUE(eventually([&] { return state(started) == "done"; }));
  const Answer ended = place.get("/api/jobs/" + at(started, "/job"));
  EXPECT_EQ(number_at(ended, "/total"), 5);
  EXPECT_EQ(number_at(ended, "/asked"), 5);
  EXPECT_EQ(number_at(ended, "/done"), 5);
  EXPECT_EQ(number_at(ended, "/refused"), 0);
  EXPECT_NE(at(ended, "/ended_at"), "null");
  EXPECT_TRUE(server.await_received(5));
  EXPECT_EQ(text_at(place.get("requests", "limit=1"), "/items/0/reason"), "it is back");
  EXPECT_EQ(size_at(place.get("/api/jobs"), "/items"), 1U);
}

TEST_F(Replays, CountWhatTheOwnerRefuses) {
  place.start_relay();
  use_jobs();
  const Answer started = place.post("dead/replay", R"({"filter":{"destination":"fn:gone"}})");
  EXPECT_TRUE(eventually([&] { return state(started) == "done"; }));
  EXPECT_EQ(number_at(place.get("/api/jobs/1"), "/refused"), 1);
}

TEST_F(Replays, AreCancelled) {
  use_jobs();
  const Answer started = place.post("dead/replay", R"({"filter":{},"rate_per_second":0.001})");
  ASSERT_EQ(started.status, 202);
  EXPECT_EQ(text_at(place.remove("/api/jobs/1"), "/state"), "cancelled");
  EXPECT_TRUE(eventually([&] { return at(place.get("/api/jobs/1"), "/ended_at") != "null"; }));
  EXPECT_EQ(state(started), "cancelled");
  EXPECT_EQ(place.get("/api/jobs/2").status, 404);
  EXPECT_EQ(place.remove("/api/jobs/x").status, 404);
}

TEST_F(Replays, ArePausedAndResumed) {
  use_jobs();
  const Answer started = place.post("dead/replay", R"({"filter":{},"rate_per_second":0.001})");
  EXPECT_EQ(text_at(place.post("/api/jobs/1/pause"), "/state"), "paused");
  EXPECT_EQ(place.post("/api/jobs/1/pause").status, 409);
  EXPECT_EQ(state(started), "paused");
  EXPECT_EQ(text_at(place.post("/api/jobs/1/resume"), "/state"), "running");
  EXPECT_EQ(place.post("/api/jobs/2/resume").status, 404);
  EXPECT_EQ(text_at(place.remove("/api/jobs/1"), "/state"), "cancelled");
}

TEST_F(Replays, AreLimitedInNumber) {
  use_jobs();
  for (int i = 0; i < 4; ++i) EXPECT_EQ(place.post("dead/replay", R"({"filter":{}})").status, 202);
  const Answer fifth = place.post("dead/replay", R"({"filter":{}})");
  EXPECT_EQ(fifth.status, 409);
  EXPECT_NE(detail(fifth).find("4 jobs are running"), std::string::npos);
  jobs.stop();
  EXPECT_EQ(size_at(place.get("/api/jobs"), "/items"), 0U);
}

TEST_F(Replays, EndWithinTheirCallWithoutAServer) {
  place.start_relay();
  const Answer answer = place.post("dead/replay", R"({"filter":{"destination":"http:a"},"limit":3})");
  ASSERT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(text_at(answer, "/state"), "done");
  EXPECT_EQ(number_at(answer, "/done"), 3);
  EXPECT_EQ(place.get("/api/jobs/1").status, 404);
  EXPECT_EQ(size_at(place.get("/api/jobs"), "/items"), 0U);
}

TEST_F(Replays, TellTheirMistakes) {
  const Answer answer =
      place.post("dead/replay", R"({"filter":{"state":"dead"},"rate_per_second":0,"limit":0,"dry_run":1})");
  EXPECT_EQ(answer.status, 400);
  for (const char* part : {"filter.state is not a member", "rate_per_second is 0", "limit is 0", "dry_run is 1"}) {
    EXPECT_NE(detail(answer).find(part), std::string::npos) << part << "\n" << detail(answer);
  }
  EXPECT_EQ(detail(place.post("dead/replay")), "The body has 1 mistake: filter is missing.");
}

TEST(Jobs, ForgetTheOldestThatHaveEnded) {
  Place place;
  Jobs jobs({.running_max = 10, .kept_max = 2});
  for (int i = 0; i < 5; ++i) {
    const auto job = jobs.start(job_of({.store_url = place.url(), .outbox = outbox, .operator_name = "a"}));
    ASSERT_TRUE(job);
    EXPECT_TRUE(eventually([&] { return jobs.find(job->id)->ended_at.has_value(); }));
  }
  EXPECT_EQ(jobs.list().size(), 3U);
  EXPECT_EQ(jobs.list().front().id, 5);
  EXPECT_FALSE(jobs.find(1));
}

TEST(Jobs, TellWhyTheyFailed) {
  Jobs jobs;
  ASSERT_TRUE(jobs.start(job_of({.store_url = "nowhere:", .outbox = outbox, .operator_name = "a"})));
  EXPECT_TRUE(eventually([&] { return jobs.find(1)->state == JobView::State::failed; }));
  EXPECT_NE(jobs.find(1)->error, "");
}

}  // namespace
}  // namespace makegood::api
