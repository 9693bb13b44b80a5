#include "server/address.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>

namespace makegood::server {
namespace {

struct HostAndPort {
  std::string_view host;
  std::string_view port;
};

/// The brackets of a number of IPv6 are taken off. Without a port: all of it is the host.
HostAndPort split_host(std::string_view text) {
  if (text.starts_with('[')) {
    const std::size_t end = text.find(']');
    if (end == std::string_view::npos) return {text, {}};
    const std::string_view rest = text.substr(end + 1);
    return {text.substr(1, end - 1), rest.starts_with(':') ? rest.substr(1) : std::string_view{}};
  }
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return {text, {}};
  return {text.substr(0, colon), text.substr(colon + 1)};
}

std::optional<std::uint16_t> port_from(std::string_view text) {
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return {};
  return port;
}

bool is_number_of(int family, const std::string& host) {
  in6_addr ignored{};
  return inet_pton(family, host.c_str(), &ignored) == 1;
}

bool is_loopback_number(const std::string& host) {
  in_addr four{};
  if (inet_pton(AF_INET, host.c_str(), &four) == 1) return (ntohl(four.s_addr) >> 24) == 127;
  in6_addr six{};
  return inet_pton(AF_INET6, host.c_str(), &six) == 1 && IN6_IS_ADDR_LOOPBACK(&six);
}

bool is_same_text(std::string_view left, std::string_view right) {
  const auto lower = [](char letter) { return std::tolower(static_cast<unsigned char>(letter)); };
  return std::ranges::equal(left, right, {}, lower, lower);
}

}  // namespace

Result<Address> parse_address(std::string_view text) {
  const auto [host, port_text] = split_host(text);
  const auto port = port_from(port_text);
  const std::string number = is_same_text(host, "localhost") ? "127.0.0.1" : std::string(host);
  if (!port || (!is_number_of(AF_INET, number) && !is_number_of(AF_INET6, number))) {
    return Error{Errc::invalid,
                 fmt::format("'{}' is no address to listen on; write a number and a port, as in 127.0.0.1:7700 or "
                             "[::1]:7700.",
                             text)};
  }
  return Address{.host = number, .port = *port, .is_loopback = is_loopback_number(number)};
}

std::string to_string(const Address& address) {
  const bool is_six = address.host.find(':') != std::string::npos;
  return is_six ? fmt::format("[{}]:{}", address.host, address.port) : fmt::format("{}:{}", address.host, address.port);
}

bool is_host_ours(std::string_view host_header, const Address& listen) {
  const std::string host(split_host(host_header).host);
  return is_same_text(host, "localhost") || host == listen.host || is_loopback_number(host);
}

bool is_origin_of(std::string_view origin, std::string_view host_header) {
  const std::size_t slashes = origin.find("://");
  return slashes != std::string_view::npos && is_same_text(origin.substr(slashes + 3), host_header);
}

}  // namespace makegood::server
