#include "observe/escape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>

namespace makegood::observe {
namespace {

unsigned byte_at(std::string_view text, std::size_t index) { return static_cast<unsigned char>(text[index]); }
bool is_continuation(unsigned byte) { return (byte & 0xC0U) == 0x80U; }

std::size_t size_from(unsigned lead) {
  if (lead < 0x80) return 1;
  if (lead < 0xE0) return 2;
  return lead < 0xF0 ? 3 : 4;
}

/// How long the character at the start of the text is; 0 if it is not UTF-8.
std::size_t character_size(std::string_view text) {
  const unsigned lead = byte_at(text, 0);
  const std::size_t size = size_from(lead);
  if (size == 1) return 1;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < size) return 0;
  for (std::size_t i = 1; i < size; ++i) {
    if (!is_continuation(byte_at(text, i))) return 0;
  }
  // Overlong forms, surrogates, and what lies beyond the last character.
  const unsigned second = byte_at(text, 1);
  if ((lead == 0xE0 && second < 0xA0) || (lead == 0xED && second > 0x9F)) return 0;
  if ((lead == 0xF0 && second < 0x90) || (lead == 0xF4 && second > 0x8F)) return 0;
  return size;
}

/// Controls beyond ASCII: U+0080–U+009F, the line and paragraph separators, and the marks that turn text around.
unsigned control_beyond_ascii(std::string_view character) {
  if (character.size() == 2 && byte_at(character, 0) == 0xC2 && byte_at(character, 1) < 0xA0) {
    return byte_at(character, 1);
  }
  if (character.starts_with("\xE2\x80") && byte_at(character, 2) >= 0xA8 && byte_at(character, 2) <= 0xAE) {
    return 0x2000 + (byte_at(character, 2) & 0x3FU);
  }
  return 0;
}

void append_ascii(std::string& out, char c) {
  switch (c) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    default:
      break;
  }
  const auto code = static_cast<unsigned char>(c);
  if (code < 0x20 || code == 0x7F) {
    fmt::format_to(std::back_inserter(out), "\\u{:04x}", code);
  } else {
    out += c;
  }
}

}  // namespace

std::string escape(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t size = character_size(text);
    const std::string_view character = text.substr(0, std::max<std::size_t>(size, 1));
    text.remove_prefix(character.size());
    if (size == 0) {
      out += "\xEF\xBF\xBD";
    } else if (size == 1) {
      append_ascii(out, character.front());
    } else if (const unsigned control = control_beyond_ascii(character); control != 0) {
      fmt::format_to(std::back_inserter(out), "\\u{:04x}", control);
    } else {
      out += character;
    }
  }
  return out;
}

std::string_view cut(std::string_view text, std::size_t bytes_max) {
  if (text.size() <= bytes_max) return text;
  while (bytes_max > 0 && is_continuation(byte_at(text, bytes_max))) --bytes_max;
  return text.substr(0, bytes_max);
}

}  // namespace makegood::observe
