// The W3C's Trace Context, as far as it is looked at on its way through.
#pragma once

#include <string_view>

namespace makegood {

/// Whether it follows the standard, of this version or a later one, so that it may be passed on.
bool is_traceparent(std::string_view text);

}  // namespace makegood
