#include "base/utf8.hpp"

namespace makegood {
namespace {

char32_t byte_of(std::string_view text, std::size_t index) { return static_cast<unsigned char>(text[index]); }
bool is_continuation(char32_t byte) { return (byte & 0xC0U) == 0x80U; }

/// What the first byte says of the length; 0 when no character begins with it.
std::size_t bytes_after(char32_t lead) {
  if (lead < 0x80) return 1;
  if (lead < 0xC2 || lead > 0xF4) return 0;
  if (lead < 0xE0) return 2;
  return lead < 0xF0 ? 3 : 4;
}

bool is_surrogate(char32_t value) { return value >= 0xD800 && value <= 0xDFFF; }

}  // namespace

Character first_character(std::string_view text) {
  const char32_t lead = byte_of(text, 0);
  const std::size_t bytes = bytes_after(lead);
  if (bytes == 1) return {1, lead};
  if (bytes == 0 || text.size() < bytes) return {};
  char32_t value = lead & (0xFFU >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    if (!is_continuation(byte_of(text, i))) return {};
    value = (value << 6U) | (byte_of(text, i) & 0x3FU);
  }
  constexpr char32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};  // Longer than needed is not valid.
  if (value < smallest[bytes] || value > 0x10FFFF || is_surrogate(value)) return {};
  return {bytes, value};
}

std::string_view cut(std::string_view text, std::size_t bytes_max) {
  if (text.size() <= bytes_max) return text;
  while (bytes_max > 0 && is_continuation(byte_of(text, bytes_max))) --bytes_max;
  return text.substr(0, bytes_max);
}

bool is_text(std::string_view bytes) {
  while (!bytes.empty()) {
    const Character first = first_character(bytes);
    if (first.bytes == 0 || first.value == 0) return false;
    bytes.remove_prefix(first.bytes);
  }
  return true;
}

}  // namespace makegood
