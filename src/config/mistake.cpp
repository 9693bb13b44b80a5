#include "config/mistake.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace makegood::config {
namespace {

/// The length of the UTF-8 sequence that `text` begins with, and its code point; length 0 when it is none.
struct CodePoint {
  std::size_t length = 0;
  std::uint32_t value = 0;
};

CodePoint first_code_point(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const std::uint8_t first = byte(0);
  if (first < 0x80) return {1, first};
  std::size_t length = first >= 0xC2 ? 2 : 0;
  if (first >= 0xE0) length = 3;
  if (first >= 0xF0) length = 4;
  if (length == 0 || first > 0xF4 || text.size() < length) return {};
  std::uint32_t value = first & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return {};
    value = (value << 6U) | (byte(i) & 0x3FU);
  }
  constexpr std::uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
  if (value < smallest[length] || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF)) return {};
  return {length, value};
}

/// Control characters, line separators, and the marks that reverse the direction of writing.
bool is_obeyed(std::uint32_t value) {
  return value < 0x20 || (value >= 0x7F && value <= 0x9F) || (value >= 0x200E && value <= 0x200F) ||
         (value >= 0x2028 && value <= 0x202E) || (value >= 0x2066 && value <= 0x2069);
}

}  // namespace

std::string to_string(const Mistake& mistake) {
  std::string line = to_string(mistake.where) + ":";
  if (!mistake.key.empty()) line += " " + printable(mistake.key);
  if (!mistake.value.empty()) line += fmt::format(" '{}'", printable(mistake.value));
  line += " " + mistake.problem;
  if (!mistake.advice.empty()) line += "; " + mistake.advice;
  return line;
}

Error to_error(std::span<const Mistake> mistakes) {
  const std::string count = mistakes.size() == 1 ? "one mistake" : fmt::format("{} mistakes", mistakes.size());
  Error error{Errc::config_invalid, fmt::format("The configuration has {}; correct it and try again.", count)};
  for (const Mistake& mistake : mistakes) error.diagnostics += to_string(mistake) + "\n";
  return error;
}

std::string printable(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const CodePoint point = first_code_point(text);
    const std::size_t length = std::max<std::size_t>(1, point.length);
    const bool is_plain = point.length != 0 && !is_obeyed(point.value);
    for (const char letter : text.substr(0, length)) {
      if (is_plain) {
        result += letter;
      } else {
        result += fmt::format("\\x{:02x}", static_cast<std::uint8_t>(letter));
      }
    }
    text.remove_prefix(length);
  }
  return result;
}

}  // namespace makegood::config
