// A message as an event of CloudEvents 1.0.
#pragma once

#include <string>

#include "makegood/delivery.hpp"
#include "makegood/result.hpp"
#include "transports/http/header_lines.hpp"

namespace makegood::http {

/// Binary mode: the attributes, one header each. The content is the body.
void append_event_headers(const Delivery& delivery, HeaderLines& headers);

/// Structured mode: attributes and content in one JSON object. JSON stands in it as it is, byte for byte; anything else
/// in base 64. Errc::invalid if the content claims to be JSON and is not.
Result<std::string> structured_event(const Delivery& delivery);

}  // namespace makegood::http
