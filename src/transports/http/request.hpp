// What is sent for one delivery: headers and the exact bytes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "makegood/delivery.hpp"
#include "transports/http/secrets.hpp"
#include "transports/http/target.hpp"

namespace makegood::http {

struct Request {
  Url url;
  std::vector<std::string> headers;  ///< `Name: value`, all checked.
  std::string_view body;             ///< The message's own bytes, or those of `structured`; the delivery outlives it.
  std::string structured;            ///< Made only for the structured mode.
};

/// Fails for good (Errc::invalid) if the message has headers that cannot be sent, (Errc::config_invalid) if a secret
/// cannot be read.
Result<Request> make_request(const Delivery& delivery, const Target& target, Secrets& secrets, TimePoint now);

}  // namespace makegood::http
