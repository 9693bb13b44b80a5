// What is sent for one delivery: headers and the exact bytes.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "makegood/delivery.hpp"
#include "transports/http/header_lines.hpp"
#include "transports/http/secrets.hpp"
#include "transports/http/target.hpp"

namespace makegood::http {

struct Request {
  UrlPtr url = {};
  HeaderLines headers = {};  ///< All checked, no value empty.
  /// The message's own bytes, or those of `structured`; the delivery outlives it. Valid after a move, not in a copy.
  std::string_view body = {};
  std::string structured = {};  ///< Made only for the structured mode.
};

/// Fails for good (Errc::invalid) if the message cannot be sent as it is: its headers, its content type, its raw URL.
/// Errc::config_invalid: a secret cannot be read or used, which an operator can mend while the message waits.
/// `lines`: empty, with the memory of a request before it.
Result<Request> make_request(const Delivery& delivery, const Target& target, Secrets& secrets, TimePoint now,
                             HeaderLines lines = {});

}  // namespace makegood::http
