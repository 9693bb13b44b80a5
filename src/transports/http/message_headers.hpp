// The headers that a message brings along.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "makegood/result.hpp"

namespace makegood::http {

void append_header(std::vector<std::string>& headers, std::string_view name, std::string_view value);

/// `texts` is the message's JSON object, or empty. Those of the destination (`own_names`) count more and stay: an
/// operator decides what it is sent. A header without a value is left out. Errc::invalid if one cannot be sent.
Result<> append_message_headers(std::string_view texts, const std::vector<std::string>& own_names,
                                std::vector<std::string>& headers);

}  // namespace makegood::http
