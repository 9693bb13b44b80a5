// From a Config to the options of the parts that obey it.
#pragma once

#include <string_view>

#include "base/new_row.hpp"
#include "config/config.hpp"
#include "makegood/dispatcher.hpp"
#include "makegood/schema.hpp"
#include "makegood/telemetry.hpp"

namespace makegood::config {

/// Without destinations and routes, which are not configuration.
DispatcherOptions dispatcher_options(const Config& config, std::string_view outbox);
/// What a destination begins with that is put from now on; its document gives it a name.
Destination destination_settings(const Config& config);
/// `schemas` must outlive the rules.
EnqueueRules enqueue_rules(const Config& config, const PayloadSchemas* schemas);

TelemetryOptions telemetry_options(const Config& config);

/// Reads and compiles all schema files.
Result<PayloadSchemas> payload_schemas(const Config& config);
Result<> add_schema(PayloadSchemas& schemas, const SchemaFile& schema);

}  // namespace makegood::config
