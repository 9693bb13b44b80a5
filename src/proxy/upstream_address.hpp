// Where the service is.
#pragma once

#include <string>
#include <string_view>

#include "makegood/result.hpp"

namespace makegood::proxy {

struct UpstreamAddress {
  std::string host;
  std::string port;
};
/// `http://host:port`; a path behind it is refused. Errc::config_invalid.
Result<UpstreamAddress> parse_upstream(std::string_view url);

}  // namespace makegood::proxy
