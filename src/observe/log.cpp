#include "observe/log.hpp"

#include <spdlog/logger.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/texts.hpp"

namespace makegood {
namespace {

constexpr Texts<LogLevel, LogLevel::critical> log_levels{"debug", "info", "warn", "error", "critical"};
constexpr Texts<LogFormat, LogFormat::json> log_formats{"text", "json"};

}  // namespace

std::string_view to_string(LogLevel level) { return log_levels.of(level); }

std::optional<LogLevel> log_level_from(std::string_view text) {
  return log_levels.find(text == "warning" ? "warn" : text);
}

std::optional<LogFormat> log_format_from(std::string_view text) { return log_formats.find(text); }

namespace observe {
namespace {

constexpr std::string_view masked = "***";

spdlog::level::level_enum carrier_level(LogLevel level) {
  switch (level) {
    case LogLevel::debug:
      return spdlog::level::debug;
    case LogLevel::info:
      return spdlog::level::info;
    case LogLevel::warning:
      return spdlog::level::warn;
    case LogLevel::error:
      return spdlog::level::err;
    case LogLevel::critical:
      return spdlog::level::critical;
  }
  std::unreachable();
}

class LineSink final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  explicit LineSink(std::function<void(std::string_view)> write) : write_(std::move(write)) {}

 private:
  void sink_it_(const spdlog::details::log_msg& message) override {
    write_({message.payload.data(), message.payload.size()});
  }
  void flush_() override {}

  const std::function<void(std::string_view)> write_;
};

std::vector<Field> with_tenant_masked(std::span<const Field> fields) {
  std::vector<Field> shown(fields.begin(), fields.end());
  for (Field& field : shown) {
    if (field.key == "tenant_id") field.value = masked;
  }
  return shown;
}

}  // namespace

Sink stderr_sink() {
  auto sink = std::make_shared<spdlog::sinks::stderr_sink_mt>();
  // The line is complete as we write it; spdlog only carries it.
  sink->set_pattern("%v");
  return sink;
}

Sink line_sink(std::function<void(std::string_view)> write) { return std::make_shared<LineSink>(std::move(write)); }

Log::Log(LogOptions options, Sink sink, const Clock& clock)
    : format_(options.format),
      mask_tenant_(options.mask_tenant),
      clock_(clock),
      logger_(std::make_unique<spdlog::logger>("makegood", std::move(sink))) {
  set_level(options.level);
}

Log::~Log() = default;

bool Log::is_enabled(LogLevel level) const { return logger_->should_log(carrier_level(level)); }
void Log::set_level(LogLevel level) { logger_->set_level(carrier_level(level)); }

void Log::write(LogLevel level, std::string_view message, std::span<const Field> fields) {
  if (!is_enabled(level)) return;
  std::vector<Field> shown;
  if (mask_tenant_) fields = shown = with_tenant_masked(fields);
  const LogEvent event{.at = clock_.now(), .level = level, .message = message, .fields = fields};
  const std::string line = format_ == LogFormat::json ? json_line(event) : text_line(event);
  logger_->log(carrier_level(level), spdlog::string_view_t(line.data(), line.size()));
}

}  // namespace observe
}  // namespace makegood
