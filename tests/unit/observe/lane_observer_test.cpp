#include "observe/lane_observer.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/fake_clock.hpp"
#include "tests/unit/observe/ended_attempt.hpp"

namespace makegood::observe {
namespace {

using namespace std::chrono_literals;

class LaneObserved : public testing::Test {
 protected:
  /// A line without its time.
  std::string line(std::size_t index) const { return lines_.at(index).substr(lines_.at(index).find(' ') + 1); }

  testing_support::FakeClock clock_;
  std::vector<std::string> lines_;
  Log log_{{.level = LogLevel::debug}, line_sink([this](std::string_view l) { lines_.emplace_back(l); }), clock_};
  Metrics metrics_;
  LaneObserver observer_{log_, metrics_, clock_};
};

TEST_F(LaneObserved, LogsEachDeliveryWithItsFieldsAtTheLevelOfItsFate) {
  observer_.attempts_ended(
      "shop_outbox", std::vector{ended("order.paid", Fate::delivered), ended("order.paid", Fate::retried, "TX.TIMEOUT"),
                                 ended("order.paid", Fate::died, "NO_FUNDS", "account closed")});
  const std::string fields =
      "table=shop_outbox topic=order.paid event_id=event-1 tenant_id=acme sequence=42 attempts=3 "
      "destination=fn:billing";
  ASSERT_EQ(lines_.size(), 3U);
  EXPECT_EQ(line(0), "DEBUG delivery made  " + fields);
  EXPECT_EQ(line(1), "WARN  delivery retried  " + fields + " code=TX.TIMEOUT");
  EXPECT_EQ(line(2), "ERROR delivery dead  " + fields + " code=NO_FUNDS detail=\"account closed\"");
}

TEST_F(LaneObserved, CountsWhatItDoesNotLog) {
  log_.set_level(LogLevel::warning);
  observer_.attempts_ended("t", std::vector{ended("a", Fate::delivered)});
  EXPECT_TRUE(lines_.empty());
  EXPECT_NE(metrics_.text().find("tx_outbox_dispatched_total{table=\"t\",topic=\"a\"} 1"), std::string::npos);
}

TEST_F(LaneObserved, NeverLogsAPayloadThatAHandlerQuotes) {
  observer_.attempts_ended("t", std::vector{ended("a", Fate::retried, "C", R"(cannot read {"card":"4111"} here)")});
  EXPECT_EQ(lines_.at(0).find("4111"), std::string::npos);
  EXPECT_TRUE(lines_.at(0).ends_with(R"(detail="cannot read [payload] here")"));
}

TEST_F(LaneObserved, CutsLongDetails) {
  observer_.attempts_ended("t", std::vector{ended("a", Fate::retried, "C", std::string(9000, 'x'))});
  EXPECT_TRUE(lines_.at(0).ends_with(" detail=" + std::string(2048, 'x')));
}

TEST_F(LaneObserved, LogsOwnershipAndReplays) {
  observer_.ownership("t", "taken", "owner-1");
  observer_.replayed("t", 3);
  EXPECT_EQ(line(0), "INFO  lane ownership  table=t what=taken owner=owner-1");
  EXPECT_EQ(line(1), "INFO  deliveries replayed  table=t count=3");
}

TEST_F(LaneObserved, LogsAlarmsByTheirSeverity) {
  observer_.alarm("t", {.code = Errc::store_full, .message = "The disk is full.", .diagnostics = "SQLITE_FULL"});
  observer_.alarm("t", {.code = Errc::fenced, .message = "Another owner took the lane."});
  EXPECT_EQ(line(0), "CRIT  The disk is full.  table=t code=STORAGE.FULL diagnostics=SQLITE_FULL");
  EXPECT_EQ(line(1), "WARN  Another owner took the lane.  table=t code=TX.FENCED");
}

TEST_F(LaneObserved, CountsALostLaneWhateverItWasLostBy) {
  observer_.alarm("t", {.code = Errc::fenced, .message = "Another owner took the lane."});
  observer_.ownership("t", "lost", "owner-1");
  observer_.ownership("t", "taken", "owner-2");
  observer_.alarm("t", {.code = Errc::in_doubt, .message = "The answer is missing."});
  observer_.ownership("t", "lost", "owner-2");
  observer_.ownership("t", "given up", "owner-3");
  EXPECT_NE(metrics_.text().find("tx_outbox_fenced_total{table=\"t\"} 2"), std::string::npos);
}

TEST_F(LaneObserved, LogsARepeatedAlarmOnceInTenSeconds) {
  const Error full{.code = Errc::store_full, .message = "The disk is full."};
  for (int i = 0; i < 5; ++i) observer_.alarm("t", full);
  ASSERT_EQ(lines_.size(), 1U);
  clock_.advance(10s);
  observer_.alarm("t", full);
  ASSERT_EQ(lines_.size(), 2U);
  EXPECT_TRUE(line(1).ends_with("code=STORAGE.FULL repeated=4"));
  EXPECT_NE(metrics_.text().find(R"(tx_outbox_alarm_total{code="STORAGE.FULL",table="t"} 6)"), std::string::npos);
}

TEST_F(LaneObserved, LogsTheNewsOfALane) {
  using Kind = LaneNews::Kind;
  const Scope billing{"fn:billing"};
  observer_.news("t", std::vector<LaneNews>{{.kind = Kind::circuit_opened, .scope = billing},
                                            {.kind = Kind::side_opened, .scope = billing, .why = SideLane::Why::broken},
                                            {.kind = Kind::circuit_closed, .scope = billing},
                                            {.kind = Kind::side_merged, .scope = billing, .why = SideLane::Why::broken},
                                            {.kind = Kind::side_ended, .scope = billing, .why = SideLane::Why::history},
                                            {.kind = Kind::routes_changed},
                                            {.kind = Kind::suspect_alone, .scope = billing, .sequence = 42},
                                            {.kind = Kind::suspect_died, .scope = billing, .sequence = 42}});
  ASSERT_EQ(lines_.size(), 8U);
  EXPECT_EQ(line(0), "WARN  circuit opened  table=t destination=fn:billing");
  EXPECT_EQ(line(1), "INFO  side lane opened  table=t destination=fn:billing why=broken");
  EXPECT_EQ(line(2), "INFO  circuit closed  table=t destination=fn:billing");
  EXPECT_EQ(line(3), "INFO  side lane merged  table=t destination=fn:billing why=broken");
  EXPECT_EQ(line(4), "INFO  replay of history ended  table=t destination=fn:billing why=history");
  EXPECT_EQ(line(5), "INFO  routes changed  table=t");
  EXPECT_EQ(line(6), "WARN  suspect sent alone  table=t destination=fn:billing sequence=42");
  EXPECT_EQ(line(7), "ERROR suspect is dead  table=t destination=fn:billing sequence=42");
}

TEST_F(LaneObserved, LogsTheWholeScopeOfASideLane) {
  const auto opened = [](Scope scope) { return LaneNews{.scope = std::move(scope), .why = SideLane::Why::crowded}; };
  observer_.news("t", std::vector{opened({"fn:billing", "acme", "order-7"}), opened({"fn:billing", "acme", {}, 5})});
  EXPECT_EQ(line(0),
            "INFO  side lane opened  table=t destination=fn:billing tenant_id=acme dispatch_key=order-7 why=crowded");
  EXPECT_EQ(line(1), "INFO  side lane opened  table=t destination=fn:billing tenant_id=acme priority=5 why=crowded");
}

TEST_F(LaneObserved, CountsTheNewsOfALane) {
  log_.set_level(LogLevel::error);
  observer_.news("t", std::vector<LaneNews>{{.kind = LaneNews::Kind::circuit_opened, .scope = {"fn:billing"}}});
  EXPECT_TRUE(lines_.empty());
  EXPECT_NE(metrics_.text().find(R"(tx_outbox_circuit_opened_total{destination="fn:billing",table="t"} 1)"),
            std::string::npos);
}

TEST_F(LaneObserved, ShowsFiguresAsGauges) {
  observer_.figures("t", {.is_owner = true, .pending_count = 9});
  EXPECT_NE(metrics_.text().find("outbox_pending{table=\"t\"} 9"), std::string::npos);
}

}  // namespace
}  // namespace makegood::observe
