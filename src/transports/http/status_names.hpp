// What a status is usually called.
#pragma once

#include <string_view>

namespace makegood::http {

/// Empty for one that has no name.
std::string_view name_of_status(int status);

}  // namespace makegood::http
