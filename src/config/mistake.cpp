#include "config/mistake.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "base/utf8.hpp"

namespace makegood::config {

std::string to_string(const Mistake& mistake) {
  std::string line = to_string(mistake.where) + ":";
  if (!mistake.key.empty()) line += " " + printable(mistake.key);
  if (!mistake.value.empty()) line += fmt::format(" '{}'", printable(mistake.value));
  line += " " + mistake.problem;
  if (!mistake.advice.empty()) line += "; " + mistake.advice;
  if (!mistake.excerpt.empty()) line += "\n" + mistake.excerpt;
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
    const Character character = first_character(text);
    const std::size_t bytes = std::max<std::size_t>(1, character.bytes);
    const bool is_plain = character.bytes != 0 && !is_obeyed(character.value);
    for (const char letter : text.substr(0, bytes)) {
      if (is_plain) {
        result += letter;
      } else {
        result += fmt::format("\\x{:02x}", static_cast<std::uint8_t>(letter));
      }
    }
    text.remove_prefix(bytes);
  }
  return result;
}

}  // namespace makegood::config
