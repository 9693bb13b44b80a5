// The log: one structured line per event, never a payload.
#pragma once

#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <string_view>

#include "makegood/clock.hpp"
#include "makegood/telemetry.hpp"
#include "observe/log_line.hpp"

namespace spdlog {
class logger;  // NOLINT(readability-identifier-naming)
namespace sinks {
class sink;  // NOLINT(readability-identifier-naming)
}
}  // namespace spdlog

namespace makegood::observe {

using Sink = std::shared_ptr<spdlog::sinks::sink>;

/// Lines go to stderr.
Sink stderr_sink();
/// Each line, without its end, goes to `write`, one at a time.
Sink line_sink(std::function<void(std::string_view)> write);

struct LogOptions {
  LogFormat format = LogFormat::text;
  LogLevel level = LogLevel::info;
  bool mask_tenant = false;  ///< The value of every field `tenant_id` is hidden.
};

/// Thread-safe.
class Log {
 public:
  explicit Log(LogOptions options = {}, Sink sink = stderr_sink(), const Clock& clock = system_clock());
  ~Log();

  /// Ask before collecting fields that cost something.
  bool is_enabled(LogLevel level) const;
  /// Takes effect at once, in all threads.
  void set_level(LogLevel level);

  void write(LogLevel level, std::string_view message, std::span<const Field> fields);
  void write(LogLevel level, std::string_view message, std::initializer_list<Field> fields = {}) {
    write(level, message, std::span(fields.begin(), fields.size()));
  }

 private:
  // Constant after construction.
  const LogFormat format_;
  const bool mask_tenant_;
  const Clock& clock_;
  const std::unique_ptr<spdlog::logger> logger_;
};

}  // namespace makegood::observe
