// Where secrets may be: whoever may register a destination must not have the files and variables of the process sent to
// himself.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "makegood/http.hpp"

namespace makegood::net {

/// Beginnings of references: /run/secrets, $CREDENTIALS_DIRECTORY, variables MAKEGOOD_SECRET_…, and those that the
/// process allows besides.
std::vector<std::string> secret_places(const HttpOptions& options);
/// Where secrets of a destination may be: those of a tenant, or those of the operator.
std::vector<std::string> places_for(std::string_view tenant_id, const HttpOptions& options);
/// Whether a file, its links followed, is in one of them, their links followed.
bool is_really_in(std::string_view real_path, std::span<const std::string> places);

}  // namespace makegood::net
