// Durations and sizes as people write them.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "base/duration_text.hpp"

namespace makegood::config {

using makegood::format_duration;
using makegood::parse_duration;

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
