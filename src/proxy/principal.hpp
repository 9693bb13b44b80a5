// Who asks, as far as a key is concerned: a short text that tells principals apart and names none of them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "makegood/clock.hpp"
#include "proxy/options.hpp"

namespace makegood::proxy {

/// In the order of the request.
using Headers = std::vector<std::pair<std::string, std::string>>;

bool is_same_name(std::string_view left, std::string_view right);
bool is_one_of(std::string_view name, std::span<const std::string_view> names);
/// The value of the only header of this name; null: there is none, or several.
const std::string* only_header(const Headers& headers, std::string_view name);

/// Whether an address is one of these, or in one of these networks.
bool is_among(std::string_view address, const std::vector<std::string>& networks);
/// Errc::config_invalid: it is neither an address nor a network.
Result<> check_network(std::string_view text);

/// Errc::invalid: the request does not tell who asks; its sentence is for the client.
Result<std::string> principal_of(const PrincipalRule& rule, const Headers& headers, std::string_view peer,
                                 TimePoint now);

}  // namespace makegood::proxy
