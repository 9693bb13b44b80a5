// Base 64 with padding, as in RFC 4648 section 4.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace makegood {

std::string to_base64(std::string_view bytes);
/// Nothing: it is not base 64, or has blanks or a wrong end. Bits of the last digit that no byte needs are 0, unless
/// `may_have_rest`.
std::optional<std::string> from_base64(std::string_view text, bool may_have_rest = false);

}  // namespace makegood
