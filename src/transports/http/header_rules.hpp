// What HTTP asks of headers besides the rules that hold for all transports (base/header_rules.hpp): those of a
// destination are checked when it is registered, those of a message when it is sent.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/header_rules.hpp"
#include "transports/http/net.hpp"
#include "transports/net/header_text.hpp"

namespace makegood::http {

/// Those that frame the request or belong to one hop, and those that we set ourselves.
bool is_reserved_header(std::string_view name);
/// Those whose value lets others in: they are kept as secrets or not at all.
bool is_credential_header(std::string_view name);
/// Names are the same in upper and lower case.
bool is_same_header(std::string_view left, std::string_view right);

/// Why a header cannot be sent, and what is allowed; it reads on from the header's name. Never the value.
std::optional<std::string> objection_to_name(std::string_view name);
std::optional<std::string> objection_to_value(std::string_view value);

}  // namespace makegood::http
