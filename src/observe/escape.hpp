// Foreign text made safe to print: one line, valid UTF-8, nothing that steers a terminal.
#pragma once

#include <string>
#include <string_view>

namespace makegood::observe {

/// Quotes, backslashes and control characters as in JSON; bytes that are not UTF-8 as U+FFFD.
std::string escape(std::string_view text);

/// At most `bytes_max` bytes of the text, cut between characters.
std::string_view cut(std::string_view text, std::size_t bytes_max);

}  // namespace makegood::observe
