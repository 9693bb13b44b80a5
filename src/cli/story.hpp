// A message for people: its fields, its content, what has happened to it.
#pragma once

#include <string_view>

#include "cli/json_view.hpp"

namespace makegood::cli {

/// `  topic      order.placed`
void print_field(std::string_view name, std::string_view value);
/// Payload or body, headers; cut where it becomes long.
void print_content(const Json& message);
void print_attempts(const Json& story, TimePoint now);
/// What operators have asked about it; nothing when nobody has.
void print_requests(const Json& requests, TimePoint now);

}  // namespace makegood::cli
