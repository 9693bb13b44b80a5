#include "observe/log_line.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <iterator>
#include <utility>

#include "base/texts.hpp"
#include "observe/escape.hpp"

namespace makegood::observe {
namespace {

constexpr Texts<LogLevel, LogLevel::critical> padded_levels{"DEBUG", "INFO ", "WARN ", "ERROR", "CRIT "};

std::string timestamp(TimePoint at) {
  const auto day = std::chrono::floor<std::chrono::days>(at);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss time(std::chrono::floor<std::chrono::milliseconds>(at - day));
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), time.hours().count(),
                     time.minutes().count(), time.seconds().count(), time.subseconds().count());
}

/// Bare when nobody can mistake where it ends, in quotes otherwise.
std::string text_value(std::string_view text) {
  std::string escaped = escape(text);
  const bool is_plain = !text.empty() && escaped == text && text.find_first_of(" =") == std::string_view::npos;
  if (is_plain) return escaped;
  return '"' + std::move(escaped) + '"';
}

struct TextValue {
  std::string operator()(std::string_view text) const { return text_value(text); }
  std::string operator()(auto value) const { return fmt::format("{}", value); }
};

struct JsonValue {
  std::string operator()(std::string_view text) const { return '"' + escape(text) + '"'; }
  std::string operator()(double value) const { return std::isfinite(value) ? fmt::format("{}", value) : "null"; }
  std::string operator()(auto value) const { return fmt::format("{}", value); }
};

}  // namespace

std::string text_line(const LogEvent& event) {
  std::string line = fmt::format("{} {} {}", timestamp(event.at), padded_levels.of(event.level), escape(event.message));
  std::string_view separator = "  ";
  for (const Field& field : event.fields) {
    fmt::format_to(std::back_inserter(line), "{}{}={}", separator, field.key, std::visit(TextValue(), field.value));
    separator = " ";
  }
  return line;
}

std::string json_line(const LogEvent& event) {
  std::string line = fmt::format(R"({{"ts":"{}","level":"{}","msg":"{}")", timestamp(event.at), to_string(event.level),
                                 escape(event.message));
  for (const Field& field : event.fields) {
    fmt::format_to(std::back_inserter(line), R"(,"{}":{})", escape(field.key), std::visit(JsonValue(), field.value));
  }
  return line += '}';
}

}  // namespace makegood::observe
