// The headers that a message brings along.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "makegood/result.hpp"
#include "transports/http/header_lines.hpp"

namespace makegood::http {

/// `texts` is the message's JSON object, or empty. Those of the destination (`own_names`) count more and stay: an
/// operator decides what it is sent. A header without a value is left out. Errc::invalid if one cannot be sent.
Result<> append_message_headers(std::string_view texts, const std::vector<std::string>& own_names,
                                HeaderLines& headers);

}  // namespace makegood::http
