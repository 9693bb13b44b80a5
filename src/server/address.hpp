// The address to listen on, and which names of ourselves a browser may have been told by somebody else.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "makegood/result.hpp"

namespace makegood::server {

struct Address {
  std::string host;  ///< A number, without brackets.
  std::uint16_t port = 0;
  bool is_loopback = false;
};

/// `127.0.0.1:7700`, `[::1]:7700`, `localhost:7700`, `0.0.0.0:0`. Names are not looked up, so that what is bound is
/// what was meant.
Result<Address> parse_address(std::string_view text);
std::string to_string(const Address& address);

/// Whether a `Host` header means this machine: a loopback name or number, or the address that we listen on. A page of
/// somebody else that points a name of its own at 127.0.0.1 is recognised by that name.
bool is_host_ours(std::string_view host_header, const Address& listen);
/// Whether a page of this origin was served under this host.
bool is_origin_of(std::string_view origin, std::string_view host_header);

}  // namespace makegood::server
