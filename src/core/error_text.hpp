// What may be stored of an error's text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "makegood/delivery.hpp"

namespace makegood::core {

inline constexpr std::size_t error_bytes_max = 2048;

/// At most `error_bytes_max` bytes of valid UTF-8 without control characters. A text that the store refuses would make
/// the turn fail that records it, so what is not valid is replaced by `?`.
std::string storable(std::string_view text);

/// What an answer says about its attempt must not quote the message: done before any of it is stored, told or logged.
void hide_content(Outcome& outcome, std::string_view content);

/// As `storable`, and as short as a note: codes are labels, and columns of tables.
std::string storable_code(std::string_view code);

inline constexpr std::size_t note_bytes_max = 200;

/// The first `note_bytes_max` bytes of a storable text, or a few less: no character is cut.
std::string_view beginning_of(std::string_view text);

}  // namespace makegood::core
