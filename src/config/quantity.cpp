#include "config/quantity.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <limits>

namespace makegood::config {
namespace {

struct SizeUnit {
  std::string_view text;
  std::uint64_t bytes;
};
constexpr std::array size_units = {SizeUnit{"GiB", 1U << 30}, SizeUnit{"MiB", 1U << 20}, SizeUnit{"KiB", 1U << 10}};

}  // namespace

std::optional<std::int64_t> parse_bytes(std::string_view text) {
  std::int64_t factor = 1;
  for (const SizeUnit& unit : size_units) {
    if (!text.ends_with(unit.text)) continue;
    text.remove_suffix(unit.text.size());
    factor = static_cast<std::int64_t>(unit.bytes);
    break;
  }
  std::int64_t number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc{} || end != text.data() + text.size()) return {};
  if (number > std::numeric_limits<std::int64_t>::max() / factor || number < 0) return {};
  return number * factor;
}

std::string format_bytes(std::uint64_t bytes) {
  for (const SizeUnit& unit : size_units) {
    if (bytes != 0 && bytes % unit.bytes == 0) return fmt::format("{}{}", bytes / unit.bytes, unit.text);
  }
  return fmt::format("{}", bytes);
}

}  // namespace makegood::config
