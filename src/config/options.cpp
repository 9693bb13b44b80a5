#include "config/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>

namespace makegood::config {

DispatcherOptions dispatcher_options(const Config& config, std::string_view outbox) {
  const CleanerConfig& cleaner = config.cleaner;
  const bool is_cleaned = cleaner.outboxes.empty() || std::ranges::count(cleaner.outboxes, outbox) > 0;
  DispatcherOptions options;
  options.outbox = outbox;
  options.limits = config.outbox.limits;
  options.lease = config.outbox.lease;
  options.poll_interval = config.outbox.poll_interval;
  options.is_cleaner_enabled = cleaner.is_enabled && is_cleaned;
  options.clean_interval = cleaner.interval;
  options.clean.retention = cleaner.retention;
  options.clean.dead_retention = cleaner.dead_retention;
  return options;
}

Destination destination_settings(const Config& config) {
  Destination settings = config.outbox.destination;
  const bool is_by_earlier_name = config.origins.contains("tx.outbox.disable_after_ms");
  if (is_by_earlier_name) settings.retry.unreachable_for = config.outbox.disable_after;
  return settings;
}

EnqueueRules enqueue_rules(const Config& config, const PayloadSchemas* schemas) {
  return {.content_bytes_max = config.outbox.payload_bytes_max,
          .topic_grammar = config.outbox.topic_grammar,
          .schemas = schemas};
}

TelemetryOptions telemetry_options(const Config& config) {
  TelemetryOptions options;
  options.log_format = config.log.format;
  options.log_level = config.log.level;
  options.mask_tenant = config.log.mask_tenant;
  options.metrics_compat = config.metrics.compat;
  options.tenant_label = config.metrics.tenant_label;
  options.outboxes = config.store.outboxes;
  return options;
}

Result<> add_schema(PayloadSchemas& schemas, const SchemaFile& schema) {
  std::ifstream stream(schema.file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  if (!stream || text.empty()) {
    return Error{Errc::config_invalid, fmt::format("names the file {}, which cannot be read", schema.file)};
  }
  const Result<> added = schemas.add(schema.pattern, text);
  if (added) return {};
  return Error{Errc::config_invalid, fmt::format("names the file {}: {}", schema.file, added.error().message)};
}

Result<PayloadSchemas> payload_schemas(const Config& config) {
  PayloadSchemas schemas;
  for (const SchemaFile& schema : config.outbox.schemas) MAKEGOOD_TRY(add_schema(schemas, schema));
  return schemas;
}

}  // namespace makegood::config
