#include "makegood/telemetry.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/unit/observe/ended_attempt.hpp"

namespace makegood {
namespace {

TEST(Telemetry, BringsLogAndMetricsTogether) {
  std::vector<std::string> lines;
  Telemetry telemetry({.log_format = LogFormat::json, .mask_tenant = true, .write_line = [&](std::string_view line) {
                         lines.emplace_back(line);
                       }});
  const std::vector batch = {observe::ended("a", Fate::delivered), observe::ended("a", Fate::retried, "C")};
  telemetry.observer().attempts_ended("t", batch);
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_NE(lines[0].find(R"("tenant_id":"***")"), std::string::npos);
  telemetry.set_level(LogLevel::debug);
  telemetry.observer().attempts_ended("t", batch);
  EXPECT_EQ(lines.size(), 3U);
  EXPECT_NE(telemetry.metrics_text().find("tx_outbox_dispatched_total{table=\"t\",topic=\"a\"} 2"), std::string::npos);
}

TEST(Telemetry, KeepsItsObserverWhenItIsMoved) {
  Telemetry telemetry({.log_level = LogLevel::critical});
  Observer& observer = telemetry.observer();
  const Telemetry moved = std::move(telemetry);
  observer.replayed("t", 2);
  EXPECT_NE(moved.metrics_text().find("tx_replay_total{kind=\"outbox\"} 2"), std::string::npos);
}

TEST(Telemetry, WritesToStderrByDefault) {
  testing::internal::CaptureStderr();
  Telemetry().observer().replayed("t", 2);
  EXPECT_TRUE(testing::internal::GetCapturedStderr().ends_with("INFO  deliveries replayed  table=t count=2\n"));
}

}  // namespace
}  // namespace makegood
