// An action whose address is a whole URL, and the registered destination that carries it: the one whose URL it begins
// with. What is sent has that destination's host, credentials and limits.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "makegood/destination.hpp"

namespace makegood {

bool is_whole_url(std::string_view uri);
/// Why a step cannot have this URL as its address; empty: it can.
std::string problem_of_url(std::string_view url);

/// The URL of a destination that may carry such actions; empty: it carries none. One of a tenant does not: its operator
/// is somebody else.
std::string url_for_actions(const Destination& destination);
/// What is left of the URL below the other one, which has no query; nothing: it does not begin with it. Scheme, host
/// and port are compared, and whole segments of the path.
std::optional<std::string_view> path_below(std::string_view url, std::string_view base);
/// The longest of them that the URL begins with; nothing: none.
std::optional<std::size_t> longest_below(std::string_view url, std::span<const std::string> bases);

}  // namespace makegood
