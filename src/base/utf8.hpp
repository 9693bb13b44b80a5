// Text of others, character by character: what is valid UTF-8, what a terminal would obey, where it may be cut.
#pragma once

#include <cstddef>
#include <string_view>

namespace makegood {

struct Character {
  std::size_t bytes = 0;  ///< None when the text does not begin with valid UTF-8.
  char32_t value = 0;
};

/// The first character of a text that is not empty.
Character first_character(std::string_view text);

/// The controls of ASCII and those from U+0080 to U+009F, which terminals obey as well.
constexpr bool is_control(char32_t value) { return value < 0x20 || (value >= 0x7F && value <= 0x9F); }

/// Not shown but obeyed: controls, line separators, and the marks that turn the direction of writing around.
constexpr bool is_obeyed(char32_t value) {
  return is_control(value) || (value >= 0x200E && value <= 0x200F) || (value >= 0x2028 && value <= 0x202E) ||
         (value >= 0x2066 && value <= 0x2069);
}

/// Whether every database takes it for a text: valid UTF-8 without NUL.
bool is_text(std::string_view bytes);

/// At most `bytes_max` bytes of the text, cut between characters.
std::string_view cut(std::string_view text, std::size_t bytes_max);

}  // namespace makegood
