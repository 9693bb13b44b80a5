#include "core/error_text.hpp"

#include "base/utf8.hpp"

namespace makegood::core {

std::string storable(std::string_view text) {
  std::string clean;
  while (!text.empty()) {
    const Character character = first_character(text);
    const std::size_t bytes = character.bytes == 0 ? 1 : character.bytes;
    if (clean.size() + bytes > error_bytes_max) break;
    if (character.bytes == 0) {
      clean += '?';
    } else if (is_control(character.value)) {
      clean += ' ';
    } else {
      clean += text.substr(0, bytes);
    }
    text.remove_prefix(bytes);
  }
  return clean;
}

std::string_view beginning_of(std::string_view text) { return cut(text, note_bytes_max); }

}  // namespace makegood::core
