#include "observe/metrics.hpp"

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/unit/observe/ended_attempt.hpp"

namespace makegood::observe {
namespace {

/// The value of a series as the exposition shows it; empty if it is not there.
std::string value_of(const Metrics& metrics, const std::string& series) {
  std::istringstream lines(metrics.text());
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(series + " ")) return line.substr(series.size() + 1);
  }
  return {};
}

TEST(Metrics, CountsDeliveriesByTopicAndFailuresByCode) {
  Metrics metrics;
  metrics.attempts_ended(
      "shop_outbox", std::vector{ended("a", Fate::delivered), ended("a", Fate::delivered), ended("b", Fate::delivered),
                                 ended("a", Fate::retried, "TX.TIMEOUT"), ended("a", Fate::died, "NO_FUNDS")});
  EXPECT_EQ(value_of(metrics, R"(tx_outbox_dispatched_total{table="shop_outbox",topic="a"})"), "2");
  EXPECT_EQ(value_of(metrics, R"(tx_outbox_dispatched_total{table="shop_outbox",topic="b"})"), "1");
  EXPECT_EQ(value_of(metrics, R"(tx_outbox_retry_total{code="TX.TIMEOUT",table="shop_outbox"})"), "1");
  EXPECT_EQ(value_of(metrics, R"(tx_outbox_dead_total{code="NO_FUNDS",table="shop_outbox"})"), "1");
  metrics.attempts_ended("shop_outbox", std::vector{ended("a", Fate::delivered)});
  EXPECT_EQ(value_of(metrics, R"(tx_outbox_dispatched_total{table="shop_outbox",topic="a"})"), "3");
}

TEST(Metrics, MeasureTheTimeFromEnqueueToDelivery) {
  Metrics metrics;
  metrics.attempts_ended("t", std::vector{ended("a", Fate::delivered), ended("a", Fate::retried, "C")});
  EXPECT_EQ(value_of(metrics, R"(tx_outbox_latency_seconds_count{table="t"})"), "1");
  EXPECT_EQ(value_of(metrics, R"(tx_outbox_latency_seconds_bucket{table="t",le="0.01"})"), "0");
  EXPECT_EQ(value_of(metrics, R"(tx_outbox_latency_seconds_bucket{table="t",le="0.025"})"), "1");
  EXPECT_EQ(value_of(metrics, R"(tx_outbox_latency_ms_sum{table="t"})"), "20");
}

TEST(Metrics, AlsoBearTheNamesThatOthersKnow) {
  Metrics metrics;
  metrics.attempts_ended(
      "t", std::vector{ended("a", Fate::delivered), ended("a", Fate::retried, "C"), ended("a", Fate::died, "C")});
  metrics.figures("t", {.is_owner = true, .pending_count = 7, .in_flight_count = 3});
  EXPECT_EQ(value_of(metrics, R"(outbox_dispatch_total{result="success",table="t",topic="a"})"), "1");
  EXPECT_EQ(value_of(metrics, R"(outbox_dispatch_total{result="failure",table="t",topic="a"})"), "2");
  EXPECT_EQ(value_of(metrics, R"(outbox_dead_total{table="t",topic="a"})"), "1");
  EXPECT_EQ(value_of(metrics, R"(outbox_dispatch_latency_seconds_count{result="failure",table="t",topic="a"})"), "2");
  EXPECT_EQ(value_of(metrics, R"(outbox_pending{table="t"})"), "7");
  EXPECT_EQ(value_of(metrics, R"(outbox_locked{table="t"})"), "3");
  EXPECT_EQ(value_of(metrics, R"(outbox_relay_leader{table="t"})"), "1");
  metrics.figures("t", {});
  EXPECT_EQ(value_of(metrics, R"(outbox_relay_leader{table="t"})"), "0");
}

TEST(Metrics, LeaveTheOtherNamesOutWhenAsked) {
  Metrics metrics({.compat = false});
  metrics.attempts_ended("t", std::vector{ended("a", Fate::delivered)});
  metrics.figures("t", {.is_owner = true});
  EXPECT_EQ(value_of(metrics, R"(tx_outbox_dispatched_total{table="t",topic="a"})"), "1");
  EXPECT_EQ(metrics.text().find("\noutbox_"), std::string::npos);
  EXPECT_EQ(metrics.text().find("_ms"), std::string::npos);
}

TEST(Metrics, CountFencedTurnsAlarmsAndReplays) {
  Metrics metrics;
  metrics.fenced("t");
  metrics.alarmed("t", Errc::store_full);
  metrics.alarmed("t", Errc::store_full);
  metrics.replayed(5);
  EXPECT_EQ(value_of(metrics, R"(tx_outbox_fenced_total{table="t"})"), "1");
  EXPECT_EQ(value_of(metrics, R"(tx_outbox_alarm_total{code="STORAGE.FULL",table="t"})"), "2");
  EXPECT_EQ(value_of(metrics, R"(tx_replay_total{kind="outbox"})"), "5");
}

TEST(Metrics, ShowHowMuchIsOutOfTheOrdinary) {
  Metrics metrics({.compat = false});
  metrics.figures("t", {.side_lane_count = 3, .open_circuit_count = 1, .parked_count = 12});
  EXPECT_EQ(value_of(metrics, R"(tx_outbox_side_lanes{table="t"})"), "3");
  EXPECT_EQ(value_of(metrics, R"(tx_outbox_open_circuits{table="t"})"), "1");
  EXPECT_EQ(value_of(metrics, R"(tx_outbox_parked{table="t"})"), "12");
  metrics.figures("t", {});
  EXPECT_EQ(value_of(metrics, R"(tx_outbox_side_lanes{table="t"})"), "0");
}

TEST(Metrics, CountTheNewsOfALane) {
  using Kind = LaneNews::Kind;
  using Why = SideLane::Why;
  Metrics metrics;
  const auto news = [](Kind kind, Why why = Why::paused) {
    return LaneNews{.kind = kind, .scope = {"fn:billing", "acme"}, .why = why, .sequence = 42};
  };
  metrics.news("t", std::vector{news(Kind::circuit_opened), news(Kind::circuit_closed), news(Kind::circuit_opened)});
  metrics.news("t", std::vector{news(Kind::side_opened, Why::broken), news(Kind::side_opened, Why::crowded),
                                news(Kind::side_merged, Why::broken), news(Kind::side_ended, Why::history)});
  metrics.news("t", std::vector{news(Kind::suspect_alone), news(Kind::suspect_alone), news(Kind::suspect_died)});
  metrics.news("t", std::vector{LaneNews{.kind = Kind::routes_changed}});
  const std::string at = R"({destination="fn:billing",table="t")";
  EXPECT_EQ(value_of(metrics, "tx_outbox_circuit_opened_total" + at + "}"), "2");
  EXPECT_EQ(value_of(metrics, "tx_outbox_side_lane_opened_total" + at + R"(,why="broken"})"), "1");
  EXPECT_EQ(value_of(metrics, "tx_outbox_side_lane_opened_total" + at + R"(,why="crowded"})"), "1");
  EXPECT_EQ(value_of(metrics, "tx_outbox_side_lane_closed_total" + at + R"(,why="broken"})"), "1");
  EXPECT_EQ(value_of(metrics, "tx_outbox_side_lane_closed_total" + at + R"(,why="history"})"), "1");
  EXPECT_EQ(value_of(metrics, "tx_outbox_suspect_total" + at + R"(,what="alone"})"), "2");
  EXPECT_EQ(value_of(metrics, "tx_outbox_suspect_total" + at + R"(,what="dead"})"), "1");
  EXPECT_EQ(value_of(metrics, R"(tx_outbox_routes_changed_total{table="t"})"), "1");
}

TEST(Metrics, BeginWithZeroWhateverCanBeKnown) {
  Metrics metrics({.compat = false});
  metrics.expect("t");
  for (const char* series : {R"(tx_outbox_deliveries_total{fate="delivered",table="t"})",
                             R"(tx_outbox_deliveries_total{fate="retried",table="t"})",
                             R"(tx_outbox_deliveries_total{fate="died",table="t"})",
                             R"(tx_outbox_alarm_total{code="STORAGE.FULL",table="t"})",
                             R"(tx_outbox_dead_total{code="TX.REJECTED",table="t"})",
                             R"(tx_outbox_retry_total{code="TX.TIMEOUT",table="t"})",
                             R"(tx_outbox_poison_total{table="t"})", R"(tx_outbox_routes_changed_total{table="t"})",
                             R"(tx_outbox_fenced_total{table="t"})", R"(tx_outbox_owner{table="t"})"}) {
    EXPECT_EQ(value_of(metrics, series), "0") << series;
  }
}

TEST(Metrics, CountDeliveriesByFateWhateverTheirTenantAndCode) {
  Metrics metrics({.tenants = TenantLabel::all});
  metrics.attempts_ended("t", std::vector{ended("a", Fate::delivered), ended("a", Fate::died, "NO_FUNDS")});
  EXPECT_EQ(value_of(metrics, R"(tx_outbox_deliveries_total{fate="died",table="t"})"), "1");
  EXPECT_EQ(value_of(metrics, R"(tx_outbox_deliveries_total{fate="delivered",table="t"})"), "1");
  metrics.news("t", std::vector{LaneNews{.kind = LaneNews::Kind::suspect_died, .scope = {"fn:billing"}}});
  EXPECT_EQ(value_of(metrics, R"(tx_outbox_poison_total{table="t"})"), "1");
}

TEST(Metrics, NeverNameATenantAnEventOrANumber) {
  Metrics metrics;
  metrics.attempts_ended("t", std::vector{ended("a", Fate::delivered), ended("a", Fate::died, "C", "closed account")});
  metrics.news("t", std::vector{LaneNews{.scope = {"fn:billing", "acme", "order-4111"}, .sequence = 42}});
  const std::string text = metrics.text();
  for (const char* secret : {"acme", "event-1", "42", "4111", "closed account"}) {
    EXPECT_EQ(text.find(secret), std::string::npos) << secret;
  }
}

TEST(Metrics, LetTopicsAndCodesBeyondTheirLimitShareOneLabel) {
  Metrics metrics({.topics_max = 2, .codes_max = 1});
  for (const char* name : {"a", "b", "c", "d", "a"}) {
    metrics.attempts_ended("t", std::vector{ended(name, Fate::delivered), ended(name, Fate::retried, name)});
  }
  EXPECT_EQ(value_of(metrics, R"(tx_outbox_dispatched_total{table="t",topic="a"})"), "2");
  EXPECT_EQ(value_of(metrics, R"(tx_outbox_dispatched_total{table="t",topic="other"})"), "2");
  EXPECT_EQ(value_of(metrics, R"(tx_outbox_dispatched_total{table="t",topic="c"})"), "");
  EXPECT_EQ(value_of(metrics, R"(tx_outbox_retry_total{code="other",table="t"})"), "3");
}

TEST(Metrics, StayReadableWhateverATopicIsCalled) {
  Metrics metrics;
  metrics.attempts_ended("t", std::vector{ended("a\nb\xFF\"", Fate::delivered)});
  EXPECT_NE(metrics.text().find("a\\\\nb\xEF\xBF\xBD"), std::string::npos);
  EXPECT_EQ(metrics.text().find('\xFF'), std::string::npos);
}

TEST(Metrics, CountMessagesThatWereReadForTheFirstTime) {
  Metrics metrics;
  const MessagePtr message = ended("a", Fate::delivered).message;
  metrics.enqueued("t", std::vector{message, message, ended("b", Fate::delivered).message});
  EXPECT_EQ(value_of(metrics, R"(tx_outbox_enqueued_total{table="t",topic="a"})"), "2");
  EXPECT_EQ(value_of(metrics, R"(outbox_enqueue_total{table="t",topic="a"})"), "2");
  EXPECT_EQ(value_of(metrics, R"(outbox_enqueue_total{table="t",topic="b"})"), "1");
}

/// Of three tenants, in this order.
void settle_for_three(Metrics& metrics) {
  for (const char* tenant : {"acme", "b", "c", "acme"}) {
    metrics.enqueued("t", std::vector{of_tenant(tenant, ended("a", Fate::delivered)).message});
    metrics.attempts_ended("t", std::vector{of_tenant(tenant, ended("a", Fate::delivered)),
                                            of_tenant(tenant, ended("a", Fate::died, "C"))});
  }
}

TEST(Metrics, NameTenantsWhereThatIsAskedFor) {
  Metrics metrics({.tenants = TenantLabel::all});
  settle_for_three(metrics);
  EXPECT_EQ(value_of(metrics, R"(tx_outbox_enqueued_total{table="t",tenant="acme",topic="a"})"), "2");
  EXPECT_EQ(value_of(metrics, R"(tx_outbox_dispatched_total{table="t",tenant="acme",topic="a"})"), "2");
  EXPECT_EQ(value_of(metrics, R"(tx_outbox_dispatched_total{table="t",tenant="c",topic="a"})"), "1");
  EXPECT_EQ(value_of(metrics, R"(tx_outbox_dead_total{code="C",table="t",tenant="b"})"), "1");
  EXPECT_EQ(value_of(metrics, R"(tx_outbox_latency_seconds_count{table="t",tenant="acme"})"), "2");
}

TEST(Metrics, NameTheFirstTenantsAndLetTheOthersShareALabel) {
  Metrics metrics({.tenants = TenantLabel::top_n, .tenants_max = 1});
  settle_for_three(metrics);
  EXPECT_EQ(value_of(metrics, R"(tx_outbox_dispatched_total{table="t",tenant="acme",topic="a"})"), "2");
  EXPECT_EQ(value_of(metrics, R"(tx_outbox_dispatched_total{table="t",tenant="other",topic="a"})"), "2");
}

TEST(Metrics, NeverNameTenantsUnderTheOlderNames) {
  Metrics metrics({.tenants = TenantLabel::all});
  settle_for_three(metrics);
  EXPECT_EQ(value_of(metrics, R"(outbox_dispatch_total{result="success",table="t",topic="a"})"), "4");
  EXPECT_EQ(value_of(metrics, R"(outbox_enqueue_total{table="t",topic="a"})"), "4");
  std::istringstream lines(metrics.text());
  for (std::string line; std::getline(lines, line);) {
    EXPECT_TRUE(!line.starts_with("outbox_") || line.find("tenant=") == std::string::npos) << line;
  }
}

SagaNews saga_news(SagaNews::Kind kind, const std::string& tenant = "acme", const std::string& definition = "order") {
  return {.kind = kind, .definition = definition, .tenant_id = tenant, .id = "o-1", .step = "pay"};
}

TEST(Metrics, HaveWhatMayBecomeOfADefinedSagaFromTheStart) {
  Metrics metrics;
  metrics.expect_saga("order");
  EXPECT_EQ(value_of(metrics, R"(tx_saga_failed_total{def="order"})"), "0");
  EXPECT_EQ(value_of(metrics, R"(tx_saga_unverified_total{def="order"})"), "0");
  EXPECT_EQ(value_of(metrics, R"(saga_manual_intervention_total{def="order"})"), "0");
}

TEST(Metrics, CountExecutionsByHowTheyEnd) {
  using enum SagaNews::Kind;
  Metrics metrics;
  metrics.sagas(std::vector{saga_news(started)});
  for (const char* series :
       {R"(tx_saga_failed_total{def="order"})", R"(saga_execution_total{def="order",state="failed"})",
        R"(saga_compensation_total{def="order",result="failure"})", R"(tx_saga_unverified_total{def="order"})",
        R"(tx_replay_total{kind="saga"})"}) {
    EXPECT_EQ(value_of(metrics, series), "0") << series << " is there before it is 1";
  }
  metrics.sagas(std::vector{saga_news(completed), saga_news(compensated), saga_news(cancelled), saga_news(failed),
                            saga_news(replayed), saga_news(unverified), saga_news(compensating), saga_news(manual)});
  for (const char* series :
       {R"(tx_saga_started_total{def="order"})", R"(tx_saga_completed_total{def="order"})",
        R"(tx_saga_failed_total{def="order"})", R"(tx_saga_compensate_total{def="order"})",
        R"(saga_manual_intervention_total{def="order"})", R"(saga_execution_total{def="order",state="completed"})",
        R"(saga_execution_total{def="order",state="cancelled"})", R"(tx_saga_unverified_total{def="order"})",
        R"(saga_compensation_total{def="order",result="failure"})", R"(tx_replay_total{kind="saga"})"}) {
    EXPECT_EQ(value_of(metrics, series), "1") << series;
  }
  EXPECT_EQ(value_of(metrics, R"(saga_compensation_total{def="order",result="success"})"), "2");
  EXPECT_EQ(value_of(metrics, R"(tx_replay_total{kind="outbox"})"), "0");
}

TEST(Metrics, NameTheTenantsOfSagasWhereThatIsAskedFor) {
  Metrics metrics({.tenants = TenantLabel::top_n, .tenants_max = 1});
  const auto started = SagaNews::Kind::started;
  metrics.sagas(std::vector{saga_news(started, "acme"), saga_news(started, "b"), saga_news(started, "c")});
  EXPECT_EQ(value_of(metrics, R"(tx_saga_started_total{def="order",tenant="acme"})"), "1");
  EXPECT_EQ(value_of(metrics, R"(tx_saga_started_total{def="order",tenant="other"})"), "2");
  EXPECT_EQ(metrics.text().find("o-1"), std::string::npos);
}

TEST(Metrics, LetSagasBeyondTheirLimitShareOneLabel) {
  Metrics metrics;
  for (int number = 0; number < 300; ++number) {
    const std::string definition = "greet.inline-" + std::to_string(number);
    metrics.sagas(std::vector{saga_news(SagaNews::Kind::started, "t", definition),
                              saga_news(SagaNews::Kind::step_ended, "t", definition)});
  }
  EXPECT_EQ(value_of(metrics, R"(tx_saga_started_total{def="other"})"), "100");
  EXPECT_EQ(value_of(metrics, R"(tx_saga_step_latency_ms_count{def="other",step="other"})"), "100");
}

TEST(Metrics, AddUpWhatSeveralLanesTell) {
  Metrics metrics;
  {
    std::vector<std::jthread> lanes;
    lanes.reserve(4);
    for (int i = 0; i < 4; ++i) {
      lanes.emplace_back([&metrics, name = std::to_string(i)] {
        const std::vector batch = {ended("a", Fate::delivered), ended(name, Fate::delivered)};
        for (int n = 0; n < 100; ++n) metrics.attempts_ended(n % 2 == 0 ? "t" : name, batch);
      });
    }
  }
  EXPECT_EQ(value_of(metrics, R"(tx_outbox_dispatched_total{table="t",topic="a"})"), "200");
  EXPECT_EQ(value_of(metrics, R"(tx_outbox_dispatched_total{table="2",topic="a"})"), "50");
  EXPECT_EQ(value_of(metrics, R"(tx_outbox_latency_seconds_count{table="t"})"), "400");
}

}  // namespace
}  // namespace makegood::observe
