// From a Config to the options of the parts that obey it.
#pragma once

#include <string_view>

#include "config/config.hpp"
#include "makegood/dispatcher.hpp"
#include "makegood/schema.hpp"
#include "makegood/sqlite.hpp"
#include "makegood/telemetry.hpp"

namespace makegood::config {

/// Without destinations and routes, which are not configuration.
DispatcherOptions dispatcher_options(const Config& config, std::string_view outbox);
/// What every destination begins with; the caller gives it a name.
Destination destination_settings(const Config& config);
/// `schemas` must outlive the options.
sqlite::EnqueueOptions enqueue_options(const Config& config, std::string_view outbox, const PayloadSchemas* schemas);

TelemetryOptions telemetry_options(const Config& config);

/// Reads and compiles all schema files.
Result<PayloadSchemas> payload_schemas(const Config& config);
Result<> add_schema(PayloadSchemas& schemas, const SchemaFile& schema);

}  // namespace makegood::config
