#include "proxy/listener.hpp"

#include <fmt/format.h>

#include "proxy/connection.hpp"

namespace makegood::proxy {
namespace {

constexpr int backlog = 4096;
constexpr auto pause_without_descriptors = std::chrono::milliseconds(100);
constexpr std::string_view full =
    "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";

}  // namespace

Result<server::Address> Listener::bind(const std::string& text) {
  server::Address address = MAKEGOOD_TRY(server::parse_address(text));
  error_code error;
  const Tcp::endpoint wanted(net::ip::make_address(address.host, error), address.port);
  if (!error) acceptor_.open(wanted.protocol(), error);
  if (!error) acceptor_.set_option(net::socket_base::reuse_address(true), error);
  if (!error) acceptor_.bind(wanted, error);
  if (!error) acceptor_.listen(backlog, error);
  if (!error) address.port = acceptor_.local_endpoint(error).port();
  if (!error) return address;
  return Error{Errc::unavailable,
               fmt::format("Cannot listen on {}: {}. Is another server running there?", text, error.message())};
}

void Listener::begin(Site& site) {
  acceptor_.async_accept(io_.get_executor(), [this, &site](const error_code& error, Socket socket) {
    if (error == net::error::operation_aborted) return;
    if (error) return rest(site);  // No descriptors are left: they come back when somebody leaves.
    admit(std::move(socket), site);
    begin(site);
  });
}

void Listener::rest(Site& site) {
  pause_.expires_after(pause_without_descriptors);
  pause_.async_wait([this, &site](const error_code& error) {
    if (!error) begin(site);
  });
}

void Listener::admit(Socket socket, Site& site) {
  if (is_admin_ || site.connections.size() < site.options.connections_max) {
    return std::make_shared<Connection>(std::move(socket), site, is_admin_)->begin();
  }
  site.figures.treated(Treatment::crowded);
  error_code ignored;
  socket.non_blocking(true, ignored);
  socket.write_some(net::buffer(full), ignored);
}

void Listener::close() {
  error_code ignored;
  acceptor_.close(ignored);
  pause_.cancel();
}

}  // namespace makegood::proxy
