#include "transports/broker/server.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "transports/net/address.hpp"

namespace makegood::broker {
namespace {

constexpr std::size_t host_bytes_max = 253;

Error bad_server(std::string message) { return {Errc::config_invalid, std::move(message)}; }

bool is_of_a_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
}

/// `256.1.1.1` and `0x7f.1` are no addresses to us, but they are to others who look a name up.
bool ends_like_an_address(std::string_view host) {
  const std::string_view last = host.substr(host.rfind('.') + 1);
  return last.empty() || last.starts_with("0x") ||
         std::ranges::all_of(last, [](char c) { return c >= '0' && c <= '9'; });
}

Result<std::string> checked_host(std::string_view text) {
  std::string host(text);
  std::ranges::transform(host, host.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  if (const auto address = net::parse_address(host)) return to_string(*address);
  if (host.ends_with('.')) host.pop_back();
  const bool is_name = !host.empty() && host.size() <= host_bytes_max && std::ranges::all_of(host, is_of_a_name);
  if (!is_name || ends_like_an_address(host)) return bad_server("its host is neither a name nor an address.");
  return host;
}

Result<std::uint16_t> checked_port(std::string_view digits) {
  std::uint16_t port = 0;
  const auto [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  if (failed != std::errc() || end != digits.data() + digits.size() || port == 0) {
    return bad_server("its port is not one: it is between 1 and 65535.");
  }
  return port;
}

}  // namespace

Result<Server> parse_server(std::string_view url, const ServerSchemes& schemes) {
  Server server;
  const std::size_t end = url.find("://");
  const std::string_view scheme = url.substr(0, std::min(end, url.size()));
  if (end == std::string_view::npos || (scheme != schemes.plain && scheme != schemes.tls)) {
    return bad_server(fmt::format("it does not begin with {}:// or {}://.", schemes.plain, schemes.tls));
  }
  server.is_tls = scheme == schemes.tls;
  server.port = server.is_tls ? schemes.tls_port : schemes.plain_port;
  url.remove_prefix(end + 3);
  if (url.contains('@')) {
    return bad_server("it has a user or a password in it; they belong in username, and where password says.");
  }
  const bool is_v6 = url.starts_with('[');
  const std::size_t host_end = is_v6 ? url.find(']') : std::min(url.find(':'), url.size());
  if (host_end == std::string_view::npos) return bad_server("its host is neither a name nor an address.");
  server.host = MAKEGOOD_TRY(checked_host(url.substr(is_v6 ? 1 : 0, host_end - (is_v6 ? 1 : 0))));
  url.remove_prefix(std::min(url.size(), host_end + (is_v6 ? 1 : 0)));
  if (url.starts_with(':')) server.port = MAKEGOOD_TRY(checked_port(url.substr(1)));
  if (!url.empty() && !url.starts_with(':')) return bad_server("something follows its host; allowed: a port.");
  return server;
}

std::string shown(const Server& server) {
  const bool is_v6 = server.host.contains(':');
  return fmt::format("{}{}{}:{}", is_v6 ? "[" : "", server.host, is_v6 ? "]" : "", server.port);
}

}  // namespace makegood::broker
