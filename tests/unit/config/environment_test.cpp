#include "config/environment.hpp"

#include <gtest/gtest.h>

#include "tests/unit/config/sources.hpp"

namespace makegood::config {
namespace {

using namespace std::chrono_literals;

TEST(Environment, KnowsTheWholeOutboxFamily) {
  const Loaded loaded = load({.environment = {{"OUTBOX_RELAY_ENABLED", "false"},
                                              {"OUTBOX_RELAY_TABLES", "public.org_outbox,public.hrm_outbox"},
                                              {"OUTBOX_RELAY_SINGLE_ACTIVE", "true"},
                                              {"OUTBOX_RELAY_POLL_INTERVAL", "1s"},
                                              {"OUTBOX_RELAY_BATCH_SIZE", "100"},
                                              {"OUTBOX_RELAY_LOCK_TTL", "60s"},
                                              {"OUTBOX_RELAY_MAX_ATTEMPTS", "25"},
                                              {"OUTBOX_RELAY_DISPATCH_TIMEOUT", "30s"},
                                              {"OUTBOX_LAST_ERROR_MAX_BYTES", "2048"},
                                              {"OUTBOX_CLEANER_ENABLED", "true"},
                                              {"OUTBOX_CLEANER_TABLES", "public.org_outbox"},
                                              {"OUTBOX_CLEANER_INTERVAL", "1m"},
                                              {"OUTBOX_CLEANER_RETENTION", "168h"},
                                              {"OUTBOX_CLEANER_DEAD_RETENTION", "0"}}});
  EXPECT_EQ(lines_of(loaded.findings.mistakes), Lines{});
  EXPECT_EQ(lines_of(loaded.findings.warnings), Lines{});
  const Config& config = loaded.config;
  EXPECT_EQ(config.origins.size(), 14U);
  EXPECT_FALSE(config.outbox.is_enabled);
  EXPECT_EQ(config.store.outboxes, (Lines{"public.org_outbox", "public.hrm_outbox"}));
  EXPECT_EQ(config.outbox.poll_interval, 1s);
  EXPECT_EQ(config.outbox.limits.batch_rows_max, 100U);
  EXPECT_EQ(config.outbox.lease, 60s);
  EXPECT_EQ(config.outbox.destination.retry.attempts_max, 25U);
  EXPECT_EQ(config.outbox.destination.timeout, 30s);
  EXPECT_EQ(config.cleaner.outboxes, (Lines{"public.org_outbox"}));
  EXPECT_EQ(config.cleaner.interval, 1min);
  EXPECT_EQ(config.cleaner.retention, 168h);
  EXPECT_EQ(config.cleaner.dead_retention, 0s);
}

TEST(Environment, ReachesEveryKey) {
  for (const Key& key : keys()) {
    const std::string text = text_of(key, Config{});
    if (text.empty()) continue;
    const Config config = load({.environment = {{variable_of(key), text}}}).config;
    EXPECT_EQ(to_string(origin_of(config, key.name)), "environment " + variable_of(key));
  }
}

TEST(Environment, TakesAnEmptyVariableForNone) {
  const Loaded loaded = load({.environment = {{"OUTBOX_RELAY_TABLES", ""}}});
  EXPECT_EQ(loaded.config.store.outboxes, (Lines{"makegood_outbox"}));
  EXPECT_TRUE(loaded.config.origins.empty());
}

TEST(Environment, PrefersItsOwnNamesAndSaysSo) {
  const Loaded loaded =
      load({.environment = {{"MAKEGOOD_TX_OUTBOX_BATCH", "200"}, {"OUTBOX_RELAY_BATCH_SIZE", "100"}}});
  EXPECT_EQ(loaded.config.outbox.limits.batch_rows_max, 200U);
  EXPECT_EQ(lines_of(loaded.findings.warnings),
            (Lines{"environment MAKEGOOD_TX_OUTBOX_BATCH: tx.outbox.batch is set by OUTBOX_RELAY_BATCH_SIZE too; "
                   "the first one counts"}));
}

TEST(Environment, WarnsOfVariablesThatAreNearlyRight) {
  const Loaded loaded = load({.environment = {{"OUTBOX_RELAY_BATCHSIZE", "5"}}});
  EXPECT_EQ(lines_of(loaded.findings.warnings),
            (Lines{"environment OUTBOX_RELAY_BATCHSIZE: is not a known variable and has no effect; "
                   "is it OUTBOX_RELAY_BATCH_SIZE?"}));
}

TEST(Environment, IsNotDisturbedByVariablesOfOthers) {
  const Loaded loaded = load({.environment = {{"MAKEGOOD_SERVICE_HOST", "10.0.0.1"},
                                              {"MAKEGOOD_PORT_8080_TCP", "tcp://10.0.0.1:8080"},
                                              {"OUTBOX_TEST_DSN", "x"},
                                              {"PATH", "/bin"}}});
  EXPECT_EQ(lines_of(loaded.findings.mistakes), Lines{});
  EXPECT_EQ(lines_of(loaded.findings.warnings), Lines{});
}

}  // namespace
}  // namespace makegood::config
