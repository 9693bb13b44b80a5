#include "makegood/telemetry.hpp"

#include <utility>

#include "observe/lane_observer.hpp"
#include "observe/log.hpp"
#include "observe/metrics.hpp"

namespace makegood {

class Telemetry::Parts {
 public:
  explicit Parts(TelemetryOptions options)
      : log({.format = options.log_format, .level = options.log_level, .mask_tenant = options.mask_tenant},
            options.write_line ? observe::line_sink(std::move(options.write_line)) : observe::stderr_sink()),
        metrics({.compat = options.metrics_compat, .tenants = options.tenant_label}) {
    for (const std::string& outbox : options.outboxes) metrics.expect(outbox);
  }

  observe::Log log;
  observe::Metrics metrics;
  observe::LaneObserver observer{log, metrics};
};

Telemetry::Telemetry(TelemetryOptions options) : parts_(std::make_unique<Parts>(std::move(options))) {}
Telemetry::~Telemetry() = default;
Telemetry::Telemetry(Telemetry&&) noexcept = default;
Telemetry& Telemetry::operator=(Telemetry&&) noexcept = default;

Observer& Telemetry::observer() { return parts_->observer; }
std::string Telemetry::metrics_text() const { return parts_->metrics.text(); }
void Telemetry::set_level(LogLevel level) { parts_->log.set_level(level); }

}  // namespace makegood
