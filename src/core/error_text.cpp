#include "core/error_text.hpp"

namespace makegood::core {
namespace {

/// What the first byte of a character says of its length.
std::size_t length_after(unsigned char lead) {
  if (lead >= 0xF0) return 4;
  return lead >= 0xE0 ? 3 : 2;
}

/// How many bytes the character at `at` takes; 0 when it is not valid UTF-8.
std::size_t character_bytes(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(at);
  if (lead < 0x80) return 1;
  const std::size_t length = length_after(lead);
  if (lead < 0xC2 || lead > 0xF4 || at + length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(at + i) & 0xC0) != 0x80) return 0;
  }
  const unsigned char second = byte(at + 1);
  const bool is_overlong = (lead == 0xE0 && second < 0xA0) || (lead == 0xF0 && second < 0x90);
  const bool is_surrogate = lead == 0xED && second > 0x9F;
  const bool is_beyond = lead == 0xF4 && second > 0x8F;
  return is_overlong || is_surrogate || is_beyond ? 0 : length;
}

/// Of one byte, or the two-byte ones from U+0080 to U+009F that terminals obey as well.
bool is_control(std::string_view character) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(character[i]); };
  if (character.size() == 1) return byte(0) < 0x20 || byte(0) == 0x7F;
  return character.size() == 2 && byte(0) == 0xC2 && byte(1) < 0xA0;
}

}  // namespace

std::string storable(std::string_view text) {
  std::string clean;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = character_bytes(text, at);
    if (clean.size() + (length == 0 ? 1 : length) > error_bytes_max) break;
    if (length == 0) {
      clean += '?';
    } else if (is_control(text.substr(at, length))) {
      clean += ' ';
    } else {
      clean += text.substr(at, length);
    }
    at += length == 0 ? 1 : length;
  }
  return clean;
}

std::string_view beginning_of(std::string_view text) {
  if (text.size() <= note_bytes_max) return text;
  std::size_t end = note_bytes_max;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end);
}

}  // namespace makegood::core
