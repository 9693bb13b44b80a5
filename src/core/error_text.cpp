#include "core/error_text.hpp"

#include "base/utf8.hpp"
#include "base/without_content.hpp"

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

void hide_content(Outcome& outcome, std::string_view content) {
  if (outcome.kind == Outcome::Kind::ok) return;
  outcome.code = without_content(outcome.code, content);
  outcome.detail = without_content(outcome.detail, content);
}

std::string storable_code(std::string_view code) { return std::string(beginning_of(storable(code))); }

std::string_view beginning_of(std::string_view text) { return cut(text, note_bytes_max); }

}  // namespace makegood::core
