// A URL as libcurl itself reads it: what is checked is what is used.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "makegood/result.hpp"
#include "transports/http/net.hpp"
#include "transports/net/guard.hpp"

namespace makegood::http {

struct Url {
  std::string text;  ///< Normalised: this is what is sent to.
  std::string host;  ///< As for TLS and the Host header; an IPv6 address without brackets.
  std::uint16_t port = 0;
  bool is_https = false;
  std::optional<Address> literal = {};  ///< The host, when it is no name.
};
using UrlPtr = std::shared_ptr<const Url>;

/// http and https only, without user and password, without control characters. The error never repeats a query.
Result<Url> parse_url(std::string_view text);

/// What stands in it, before its name is looked up.
inline Result<> check(const Guard& guard, const Url& url, Trust trust) {
  return guard.check(url.host, url.port, trust);
}

/// For logs and errors: without query and fragment.
std::string shown(const Url& url);

}  // namespace makegood::http
