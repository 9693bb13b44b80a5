// Durations and sizes as people write them.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "makegood/clock.hpp"

namespace makegood::config {

/// `90s`, `1h30m`, `1.5h`, `0`: numbers with a unit each (ns, us, ms, s, m, h). Rounded up to a microsecond, so that
/// nothing but zero becomes zero.
std::optional<Duration> parse_duration(std::string_view text);
std::string format_duration(Duration duration);

/// `4096`, `256KiB`, `4MiB`, `1GiB`.
std::optional<std::int64_t> parse_bytes(std::string_view text);
std::string format_bytes(std::uint64_t bytes);

/// All of `text`, or nothing.
template <class Number>
std::optional<Number> parse_number(std::string_view text) {
  Number number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc{} || end != text.data() + text.size()) return {};
  return number;
}

}  // namespace makegood::config
