// Paths and what is percent-encoded in them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace makegood::api {

enum class Plus { is_plus, is_blank };

/// Nothing: an escape is not %XX, or what comes out is not UTF-8.
std::optional<std::string> percent_decoded(std::string_view text, Plus plus = Plus::is_plus);
bool is_utf8(std::string_view text);

}  // namespace makegood::api
