#include "base/duration_text.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <system_error>

namespace makegood {
namespace {

struct TimeUnit {
  std::string_view text;
  double microseconds;
};
// Longer texts first: `ms` must not be read as `m`.
constexpr std::array time_units = {
    TimeUnit{"ns", 1e-3}, TimeUnit{"us", 1},  TimeUnit{"µs", 1},    TimeUnit{"ms", 1e3},
    TimeUnit{"s", 1e6},   TimeUnit{"m", 6e7}, TimeUnit{"h", 3.6e9},
};

/// Takes one number with its unit off the front of `text`.
std::optional<double> take_part(std::string_view& text) {
  double number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  if (failure != std::errc{} || number < 0 || text.front() == '-') return {};
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  for (const TimeUnit& unit : time_units) {
    if (!text.starts_with(unit.text)) continue;
    text.remove_prefix(unit.text.size());
    return number * unit.microseconds;
  }
  return {};
}

}  // namespace

std::optional<Duration> parse_duration(std::string_view text) {
  if (text == "0") return Duration{0};
  if (text.empty()) return {};
  double sum = 0;
  while (!text.empty()) {
    const std::optional<double> part = take_part(text);
    if (!part) return {};
    sum += *part;
  }
  // Beyond this a double no longer holds every microsecond (285 years).
  if (!(sum < 9e15)) return {};
  return Duration{static_cast<std::int64_t>(std::ceil(sum))};
}

std::string format_duration(Duration duration) {
  const std::int64_t count = duration.count();
  if (count == 0) return "0";
  if (count % 3'600'000'000 == 0) return fmt::format("{}h", count / 3'600'000'000);
  if (count % 60'000'000 == 0) return fmt::format("{}m", count / 60'000'000);
  if (count % 1'000'000 == 0) return fmt::format("{}s", count / 1'000'000);
  if (count % 1'000 == 0) return fmt::format("{}ms", count / 1'000);
  return fmt::format("{}us", count);
}

}  // namespace makegood
