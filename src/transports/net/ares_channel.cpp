#include "transports/net/ares_channel.hpp"

#include <fmt/format.h>
#include <sys/time.h>

#include <charconv>
#include <cstdint>
#include <string_view>

#include "transports/net/address.hpp"

namespace makegood::net {
namespace {

// A server that answers A and drops AAAA, as some do, must not cost the whole time to connect: 1 s and 2 s.
constexpr int first_timeout_ms = 1000;
constexpr int tries_max = 2;
constexpr std::uint16_t dns_port = 53;

struct Server {
  Address address;
  std::uint16_t port = dns_port;
};

std::optional<std::uint16_t> parse_port(std::string_view digits) {
  std::uint16_t port = 0;
  const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  if (failure != std::errc{} || end != digits.data() + digits.size() || port == 0) return std::nullopt;
  return port;
}

/// `127.0.0.1`, `127.0.0.1:5353`, `::1`, `[::1]:5353`.
std::optional<Server> parse_server(std::string_view text) {
  if (const auto address = parse_address(text)) return Server{.address = *address};
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  std::string_view host = text.substr(0, colon);
  const bool is_bracketed = host.starts_with('[') && host.ends_with(']');
  if (is_bracketed) host = host.substr(1, host.size() - 2);
  const auto address = parse_address(host);
  const auto port = parse_port(text.substr(colon + 1));
  if (!address || !port || address->is_v6 != is_bracketed) return std::nullopt;
  return Server{.address = *address, .port = *port};
}

/// As c-ares reads it, from what we have understood.
Result<std::string> server_list(const std::vector<std::string>& servers) {
  std::string list;
  for (const std::string& text : servers) {
    const std::optional<Server> server = parse_server(text);
    if (!server) {
      return Error{
          Errc::config_invalid,
          fmt::format("`{}` in `http.dns_servers` is not an address such as `127.0.0.1:53` or `[::1]:53`.", text)};
    }
    if (!list.empty()) list += ',';
    const bool is_v6 = server->address.is_v6;
    list += fmt::format("{}{}{}:{}", is_v6 ? "[" : "", to_string(server->address), is_v6 ? "]" : "", server->port);
  }
  return list;
}

Error no_channel(int status) {
  return {Errc::internal, "Names cannot be looked up: the resolver does not start.", ares_strerror(status)};
}

ares_options options_for(ares_sock_state_cb on_socket, void* data) {
  ares_options options = {};
  options.timeout = first_timeout_ms;
  options.tries = tries_max;
  options.sock_state_cb = on_socket;
  options.sock_state_cb_data = data;
  return options;
}

}  // namespace

Result<> check_dns_servers(const std::vector<std::string>& servers) {
  MAKEGOOD_TRY(server_list(servers));
  return {};
}

Result<AresChannel> AresChannel::open(const std::vector<std::string>& servers, ares_sock_state_cb on_socket,
                                      void* data) {
  static const int library = ares_library_init(ARES_LIB_INIT_ALL);
  if (library != ARES_SUCCESS) return no_channel(library);
  const std::string list = MAKEGOOD_TRY(server_list(servers));

  ares_options options = options_for(on_socket, data);
  int mask = ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES | ARES_OPT_SOCK_STATE_CB;
  if (!servers.empty()) mask |= ARES_OPT_DOMAINS;  // None: the system's search list belongs to its servers.
  ares_channel raw = nullptr;
  if (const int status = ares_init_options(&raw, &options, mask); status != ARES_SUCCESS) return no_channel(status);
  AresChannel channel(raw);
  if (servers.empty()) return channel;
  const int status = ares_set_servers_ports_csv(raw, list.c_str());
  if (status != ARES_SUCCESS) return no_channel(status);
  return channel;
}

void AresChannel::ask(const std::string& host, ares_addrinfo_callback on_answer, void* data) {
  ares_addrinfo_hints hints = {};
  hints.ai_family = AF_UNSPEC;
  hints.ai_flags = ARES_AI_NOSORT;  // To sort, it opens a socket for every address.
  ares_getaddrinfo(channel_.get(), host.c_str(), nullptr, &hints, on_answer, data);
}

void AresChannel::ready(int descriptor, bool read, bool write) {
  ares_process_fd(channel_.get(), read ? descriptor : ARES_SOCKET_BAD, write ? descriptor : ARES_SOCKET_BAD);
}

void AresChannel::timed_out() { ares_process_fd(channel_.get(), ARES_SOCKET_BAD, ARES_SOCKET_BAD); }

std::optional<Duration> AresChannel::next_timeout() const {
  timeval wait = {};
  if (ares_timeout(channel_.get(), nullptr, &wait) == nullptr) return std::nullopt;
  return std::chrono::seconds(wait.tv_sec) + std::chrono::microseconds(wait.tv_usec);
}

}  // namespace makegood::net
