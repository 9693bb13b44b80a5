#include "config/options.hpp"

#include <gtest/gtest.h>

#include "tests/unit/config/sources.hpp"

namespace makegood::config {
namespace {

using namespace std::chrono_literals;

TEST(Options, CarryTheConfigurationToTheDispatcher) {
  const Config config = load_yaml(R"(
tx.outbox: {lease_ms: 20000, poll_ms: 50, batch: 10, batch_bytes_max: 1MiB, window: 40, window_bytes_max: 2MiB,
            passed_rows_max: 1000, side_lanes_max: 5, parked_max: 60, held_per_key_max: 7, open_ranges_max: 2000,
            crowded_after_ms: 80}
cleaner: {interval: 2m, retention: 24h, dead_retention: 48h}
)")
                            .config;
  const DispatcherOptions options = dispatcher_options(config, "a_outbox");
  EXPECT_EQ(options.outbox, "a_outbox");
  EXPECT_EQ(options.lease, 20s);
  EXPECT_EQ(options.poll_interval, 50ms);
  EXPECT_EQ(options.limits.batch_rows_max, 10U);
  EXPECT_EQ(options.limits.batch_bytes_max, 1U << 20U);
  EXPECT_EQ(options.limits.window_rows_max, 40U);
  EXPECT_EQ(options.limits.window_bytes_max, 2U << 20U);
  EXPECT_EQ(options.limits.passed_rows_max, 1000U);
  EXPECT_EQ(options.limits.side_lanes_max, 5U);
  EXPECT_EQ(options.limits.parked_max, 60U);
  EXPECT_EQ(options.limits.held_per_key_max, 7U);
  EXPECT_EQ(options.limits.open_ranges_max, 2000U);
  EXPECT_EQ(options.limits.crowded_after, 80ms);
  EXPECT_TRUE(options.is_cleaner_enabled);
  EXPECT_EQ(options.clean_interval, 2min);
  EXPECT_EQ(options.clean.retention, 24h);
  EXPECT_EQ(options.clean.dead_retention, 48h);
}

TEST(Options, CleanOnlyTheOutboxesThatAreNamed) {
  Config config;
  config.cleaner.outboxes = {"a_outbox"};
  EXPECT_TRUE(dispatcher_options(config, "a_outbox").is_cleaner_enabled);
  EXPECT_FALSE(dispatcher_options(config, "b_outbox").is_cleaner_enabled);
}

TEST(Options, CarryTheConfigurationToEveryDestination) {
  const Config config = load_yaml(R"(
tx.outbox: {in_flight_max: 3, rate_max: 2.5, dispatch_timeout_ms: 1s, ordering: skip, max_attempts: 4,
            backoff: {base_ms: 10, factor: 3, jitter: 0.5, cap_ms: 100}, schedule_ms: [5, 6],
            circuit: {failures_max: 2, wait_min_ms: 20, wait_max_ms: 200}}
)")
                            .config;
  const Destination settings = destination_settings(config);
  EXPECT_EQ(settings.in_flight_max, 3U);
  EXPECT_EQ(settings.rate_max, 2.5);
  EXPECT_EQ(settings.timeout, 1s);
  EXPECT_EQ(settings.ordering, Ordering::skip);
  EXPECT_EQ(settings.retry.attempts_max, 4U);
  EXPECT_EQ(settings.retry.base, 10ms);
  EXPECT_EQ(settings.retry.factor, 3);
  EXPECT_EQ(settings.retry.jitter, 0.5);
  EXPECT_EQ(settings.retry.cap, 100ms);
  EXPECT_EQ(settings.retry.schedule, (std::vector<Duration>{5ms, 6ms}));
  EXPECT_EQ(settings.circuit.failures_max, 2U);
  EXPECT_EQ(settings.circuit.wait_min, 20ms);
  EXPECT_EQ(settings.circuit.wait_max, 200ms);
}

TEST(Options, TakeTheEarlierNameOfThePatience) {
  EXPECT_EQ(destination_settings(Config()).retry.unreachable_for, 72h);
  EXPECT_EQ(destination_settings(load_yaml("tx.outbox.disable_after_ms: 1h\n").config).retry.unreachable_for, 1h);
  EXPECT_EQ(destination_settings(load_yaml("tx.outbox.unreachable_for_ms: 2h\n").config).retry.unreachable_for, 2h);
}

TEST(Options, CarryTheConfigurationToEnqueue) {
  const TemporaryFolder folder;
  Config config = load_yaml("tx.outbox: {payload_bytes_max: 1KiB, topic_grammar: versioned}\n").config;
  config.outbox.schemas = {{"order.*", folder.write("order.json", R"({"type":"object"})")}};
  const Result<PayloadSchemas> schemas = payload_schemas(config);
  ASSERT_TRUE(schemas);
  const EnqueueRules rules = enqueue_rules(config, &*schemas);
  EXPECT_EQ(rules.content_bytes_max, 1024U);
  EXPECT_EQ(rules.topic_grammar, TopicGrammar::versioned);
  EXPECT_TRUE(rules.schemas->check("order.placed", "{}"));
  EXPECT_FALSE(rules.schemas->check("order.placed", "[]"));
}

TEST(Options, CarryTheConfigurationToLogsAndMetrics) {
  const Config config =
      load_yaml("log: {format: json, level: warn, mask_tenant: true}\nmetrics: {compat: false}\n").config;
  const TelemetryOptions options = telemetry_options(config);
  EXPECT_EQ(options.log_format, LogFormat::json);
  EXPECT_EQ(options.log_level, LogLevel::warning);
  EXPECT_TRUE(options.mask_tenant);
  EXPECT_FALSE(options.metrics_compat);
}

}  // namespace
}  // namespace makegood::config
