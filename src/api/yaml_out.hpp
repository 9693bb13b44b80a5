// JSON as YAML for people to read: what fits on a line stays on it.
#pragma once

#include <string>
#include <string_view>

namespace makegood::api {

/// The members of an object, each beginning at the column `indent`.
std::string to_yaml(std::string_view json_object, std::size_t indent);

}  // namespace makegood::api
