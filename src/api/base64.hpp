// Bytes in JSON: base 64 of RFC 4648, with padding.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace makegood::api {

std::string to_base64(std::string_view bytes);
/// Nothing: it is not base 64, or has blanks or a wrong end.
std::optional<std::string> from_base64(std::string_view text);

}  // namespace makegood::api
