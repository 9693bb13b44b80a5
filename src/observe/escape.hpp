// Foreign text made safe to print: one line, valid UTF-8, nothing that steers a terminal.
#pragma once

#include <string>
#include <string_view>

namespace makegood::observe {

/// Quotes, backslashes, control characters and what else is obeyed as in JSON; bytes that are not UTF-8 as U+FFFD.
std::string escape(std::string_view text);

}  // namespace makegood::observe
