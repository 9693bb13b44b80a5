// Logs and metrics, ready to be handed to a dispatcher.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "makegood/observe.hpp"

namespace makegood {

enum class LogFormat {
  text,  ///< For people.
  json   ///< For machines.
};
enum class LogLevel { debug, info, warning, error, critical };

/// `debug`, `info`, `warn`, `error`, `critical`.
std::string_view to_string(LogLevel level);
/// As above; `warning` is understood too.
std::optional<LogLevel> log_level_from(std::string_view text);
/// `text` or `json`.
std::optional<LogFormat> log_format_from(std::string_view text);

/// Whether tenants are a label of the metrics `tx_outbox_*`; never of those with older names. Each tenant multiplies
/// their number.
enum class TenantLabel {
  off,
  top_n,  ///< The first 50 of each outbox; the others share the label `other`.
  all     ///< Without a bound: for few tenants that are known beforehand.
};

struct TelemetryOptions {
  LogFormat log_format = LogFormat::text;
  LogLevel log_level = LogLevel::info;
  bool mask_tenant = false;    ///< Log lines show `***` instead of the tenant.
  bool metrics_compat = true;  ///< Also publish the `outbox_*` names and milliseconds.
  TenantLabel tenant_label = TenantLabel::off;
  /// Their counters are there from the start, with 0, also while the store is away; of others, from the first word of
  /// their dispatcher on.
  std::vector<std::string> outboxes = {};
  /// Receives each log line, without its end, one at a time. Empty: they go to stderr.
  std::function<void(std::string_view)> write_line = {};
};

/// One structured log line per event, and Prometheus metrics; never a payload. Thread-safe.
class Telemetry {
 public:
  explicit Telemetry(TelemetryOptions options = {});
  ~Telemetry();
  Telemetry(Telemetry&&) noexcept;
  Telemetry& operator=(Telemetry&&) noexcept;

  /// For any number of dispatchers, which it must outlive.
  Observer& observer();
  /// The metrics in Prometheus' text format.
  std::string metrics_text() const;
  void set_level(LogLevel level);

 private:
  class Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace makegood
