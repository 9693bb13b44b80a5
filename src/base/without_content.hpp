// Handlers and endpoints like to quote what they choked on; a payload must not reach logs or error texts that way.
#pragma once

#include <string>
#include <string_view>

namespace makegood {

/// The text with `[payload]` in the place of each quotation of the content, whole or from its beginning on.
std::string without_content(std::string_view text, std::string_view content);

}  // namespace makegood
