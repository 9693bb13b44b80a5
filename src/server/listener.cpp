#include "server/listener.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "server/answer_text.hpp"
#include "server/connection.hpp"
#include "server/peer.hpp"

namespace makegood::server {
namespace {

constexpr int backlog = 4096;
constexpr std::size_t path_bytes_max = sizeof(sockaddr_un::sun_path);
constexpr auto pause_without_descriptors = std::chrono::milliseconds(100);

Error cannot_listen(const std::string& where, const error_code& error, std::string_view advice) {
  return {Errc::unavailable, fmt::format("Cannot listen on {}: {}. {}", where, error.message(), advice)};
}

/// With the port that the system chose.
std::uint16_t port_of(const Stream::endpoint& bound) {
  net::ip::tcp::endpoint endpoint;
  std::memcpy(endpoint.data(), bound.data(), std::min(bound.size(), endpoint.capacity()));
  return endpoint.port();
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
  if (error) return cannot_listen(to_string(address), error, "Is another server running there?");
  Address bound = address;
  bound.port = port_of(acceptor_.local_endpoint(error));
  return bound;
}

Result<> Listener::bind_path(const std::string& path) {
  if (path.size() >= path_bytes_max) {
    return Error{Errc::unavailable, fmt::format("{} is too long for a socket; name a shorter folder.", path)};
  }
  const net::local::stream_protocol::endpoint wanted(path);
  error_code error;
  ::unlink(path.c_str());
  acceptor_.open(wanted.protocol(), error);
  if (!error) acceptor_.bind(wanted, error);
  // Nobody can connect before it listens, so nobody comes in between.
  if (!error && ::chmod(path.c_str(), 0600) != 0) error = error_code(errno, boost::system::system_category());
  if (!error) acceptor_.listen(backlog, error);
  if (error) return cannot_listen(path, error, "May this user write there?");
  path_ = path;
  return {};
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
  if (path_.empty()) return admit(std::move(socket), {});
  if (auto user = trusted_user_at(socket.native_handle())) admit(std::move(socket), *std::move(user));
}

void Listener::admit(Socket socket, std::string user) {
  if (site_.connections.size() < site_.options.connections_max) {
    return std::make_shared<Connection>(std::move(socket), site_, std::move(user))->begin();
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
  if (!path_.empty()) ::unlink(path_.c_str());
  path_.clear();
}

}  // namespace makegood::server
