// A server of a broker, as its URL names it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "makegood/result.hpp"

namespace makegood::broker {

struct Server {
  std::string host;  ///< Lower case; an IPv6 address without brackets.
  std::uint16_t port = 0;
  bool is_tls = false;
  bool operator==(const Server&) const = default;
};

/// How URLs of one protocol begin, and the ports that go without saying.
struct ServerSchemes {
  std::string_view plain;
  std::uint16_t plain_port = 0;
  std::string_view tls;
  std::uint16_t tls_port = 0;
};

/// `nats://broker:4222`. No user, no password, no path: what is secret must not be where everybody may look.
Result<Server> parse_server(std::string_view url, const ServerSchemes& schemes);
std::string shown(const Server& server);

}  // namespace makegood::broker
