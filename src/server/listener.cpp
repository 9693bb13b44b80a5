#include "server/listener.hpp"

#include <fmt/format.h>

#include "server/answer_text.hpp"
#include "server/connection.hpp"

namespace makegood::server {
namespace {

constexpr int backlog = 4096;
constexpr auto pause_without_descriptors = std::chrono::milliseconds(100);

Error cannot_listen(const Address& address, const error_code& error) {
  return {Errc::unavailable, fmt::format("Cannot listen on {}: {}. Is another server running there?",
                                         to_string(address), error.message())};
}

}  // namespace

Listener::Listener(net::io_context& io, Site& site) : io_(io), site_(site), acceptor_(io), pause_(io) {}

Result<Address> Listener::bind(const Address& address) {
  error_code error;
  const net::ip::tcp::endpoint wanted(net::ip::make_address(address.host, error), address.port);
  if (!error) acceptor_.open(wanted.protocol(), error);
  if (!error) acceptor_.set_option(net::socket_base::reuse_address(true), error);
  if (!error) acceptor_.bind(wanted, error);
  if (!error) acceptor_.listen(backlog, error);
  if (error) return cannot_listen(address, error);
  Address bound = address;
  bound.port = acceptor_.local_endpoint(error).port();
  return bound;
}

void Listener::begin() {
  acceptor_.async_accept(io_.get_executor(), [this](const error_code& error, Socket socket) {
    if (error == net::error::operation_aborted) return;
    if (error) return rest();  // No descriptors are left: they come back when somebody leaves.
    take(std::move(socket));
    begin();
  });
}

void Listener::rest() {
  pause_.expires_after(pause_without_descriptors);
  pause_.async_wait([this](const error_code& error) {
    if (!error) begin();
  });
}

void Listener::take(Socket socket) {
  if (site_.connections.size() < site_.options.connections_max) {
    return std::make_shared<Connection>(std::move(socket), site_)->begin();
  }
  site_.figures.refused(Refusal::connections);
  const api::Answer full =
      api::problem(503, {Errc::unavailable, "There are as many connections as are allowed; try again later."});
  error_code ignored;
  socket.non_blocking(true, ignored);
  socket.write_some(net::buffer(answer_text(full, {.is_last = true, .request_id = "-", .date = site_.date})), ignored);
}

void Listener::close() {
  error_code ignored;
  acceptor_.close(ignored);
  pause_.cancel();
}

}  // namespace makegood::server
