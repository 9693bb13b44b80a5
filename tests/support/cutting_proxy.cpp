#include "tests/support/cutting_proxy.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <stdexcept>
#include <utility>

namespace makegood::testing_support {
namespace {

constexpr std::size_t buffer_bytes_max = 65'536;
constexpr std::array both_ways = {Way::to_server, Way::to_client};

constexpr std::size_t index(Way way) { return way == Way::to_server ? 0 : 1; }

void demand(bool works, const char* what) {
  if (!works) throw std::runtime_error(std::string("cutting proxy: ") + what);
}

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  return address;
}

void set(int socket, int level, int option) {
  const int on = 1;
  demand(::setsockopt(socket, level, option, &on, sizeof on) == 0, "setsockopt");
}

/// At once: a descriptor that is being polled would stay open until that has returned.
void close_now(Descriptor& socket) {
  if (socket) ::shutdown(socket.number(), SHUT_RDWR);
  socket = Descriptor();
}

/// None when nobody listens there.
Descriptor connect_to(std::uint16_t port) {
  // On loopback a connect is over at once, one way or the other; only what follows must not block.
  Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const sockaddr_in address = loopback(port);
  if (::connect(socket.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) return {};
  set(socket.number(), IPPROTO_TCP, TCP_NODELAY);
  return socket;
}

}  // namespace

CuttingProxy::CuttingProxy(std::uint16_t server_port, std::uint16_t port)
    : server_port_(server_port), doorbell_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)), port_(port) {
  listen();
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

CuttingProxy::~CuttingProxy() {
  thread_.request_stop();
  wake();
}

void CuttingProxy::listen() {
  Descriptor listener(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  set(listener.number(), SOL_SOCKET, SO_REUSEADDR);
  sockaddr_in address = loopback(port_);
  auto* const plain = reinterpret_cast<sockaddr*>(&address);
  socklen_t size = sizeof address;
  demand(::bind(listener.number(), plain, size) == 0 && ::listen(listener.number(), 256) == 0, "listen");
  demand(::getsockname(listener.number(), plain, &size) == 0, "getsockname");
  port_ = ntohs(address.sin_port);
  listener_ = std::move(listener);
}

void CuttingProxy::cut_after(Way way, std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  plans_.at(index(way)).bytes_left = bytes;
  ++open_plans_;
  if (bytes == 0) cut_all();
  wake();
}

void CuttingProxy::cut_before(Way way, std::string bytes) {
  const std::lock_guard lock(mutex_);
  plans_.at(index(way)).before = std::move(bytes);
  ++open_plans_;
}

void CuttingProxy::cut() {
  const std::lock_guard lock(mutex_);
  cut_all();
  wake();
}

bool CuttingProxy::await_cut(std::chrono::milliseconds limit) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, limit, [this] { return open_plans_ == 0; });
}

void CuttingProxy::hold(Way way) {
  const std::lock_guard lock(mutex_);
  plans_.at(index(way)).is_held = true;
}

void CuttingProxy::hold_before(Way way, std::string bytes) {
  const std::lock_guard lock(mutex_);
  plans_.at(index(way)).before = std::move(bytes);
  plans_.at(index(way)).holds_before = true;
}

void CuttingProxy::release() {
  const std::lock_guard lock(mutex_);
  for (Plan& plan : plans_) {
    plan.is_held = false;
    if (std::exchange(plan.holds_before, false)) plan.before.clear();
  }
  wake();
}

void CuttingProxy::refuse() {
  const std::lock_guard lock(mutex_);
  close_now(listener_);
  wake();
}

void CuttingProxy::welcome() {
  const std::lock_guard lock(mutex_);
  if (!listener_) listen();
  wake();
}

std::uint64_t CuttingProxy::passed(Way way) {
  const std::lock_guard lock(mutex_);
  return passed_.at(index(way));
}

std::size_t CuttingProxy::accepted_count() {
  const std::lock_guard lock(mutex_);
  return accepted_count_;
}

bool CuttingProxy::await_accepted(std::size_t count, std::chrono::milliseconds limit) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, limit, [&] { return accepted_count_ >= count; });
}

void CuttingProxy::wake() {
  const std::uint64_t one = 1;
  demand(::write(doorbell_.number(), &one, sizeof one) == sizeof one, "eventfd");
}

// The thread
// --------------------------------------------------------------------------------------------------------------------

void CuttingProxy::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    std::vector<pollfd> sockets = watched();
    ::poll(sockets.data(), sockets.size(), -1);
    serve(sockets);
  }
}

/// The doorbell, the listener, then client and server of each connection. What nobody wants to hear of has number -1.
std::vector<pollfd> CuttingProxy::watched() {
  const std::lock_guard lock(mutex_);
  std::vector<pollfd> result = {{doorbell_.number(), POLLIN, 0}, {listener_.number(), POLLIN, 0}};
  for (const Connection& connection : connections_) {
    for (const Way way : both_ways) {
      // The sender of this way is also the receiver of the other one.
      const Stream& sent = connection.streams.at(index(way));
      const Stream& received = connection.streams.at(1 - index(way));
      const bool may_receive = !plans_.at(1 - index(way)).is_held && !received.buffer.empty();
      const bool may_send = !sent.has_ended && sent.buffer.empty();
      const Descriptor& socket = way == Way::to_server ? connection.client : connection.server;
      const auto events = static_cast<short>((may_send ? POLLIN : 0) | (may_receive ? POLLOUT : 0));
      result.push_back({events == 0 ? -1 : socket.number(), events, 0});
    }
  }
  return result;
}

void CuttingProxy::serve(const std::vector<pollfd>& watched) {
  const std::lock_guard lock(mutex_);
  std::uint64_t rung = 0;
  [[maybe_unused]] const auto read = ::read(doorbell_.number(), &rung, sizeof rung);
  std::size_t place = 2;
  for (Connection& connection : connections_) {
    // Connections are only added below, and only taken away by a cut, which breaks them all.
    if (place + 1 >= watched.size() || connection.is_broken) break;
    if (watched.at(place).revents != 0) receive(connection, Way::to_server);
    if (watched.at(place + 1).revents != 0) receive(connection, Way::to_client);
    for (const Way way : both_ways) pass_on(connection, way);
    place += 2;
  }
  connections_.remove_if([](const Connection& connection) {
    return connection.is_broken || (connection.streams[0].is_told && connection.streams[1].is_told);
  });
  if (watched.at(1).revents != 0 && listener_) accept();
}

void CuttingProxy::accept() {
  Descriptor client(::accept4(listener_.number(), nullptr, nullptr, SOCK_CLOEXEC));
  if (!client) return;
  set(client.number(), IPPROTO_TCP, TCP_NODELAY);
  ++accepted_count_;
  changed_.notify_all();
  Descriptor server = connect_to(server_port_);
  if (server) connections_.push_back({.client = std::move(client), .server = std::move(server), .streams = {}});
}

void CuttingProxy::receive(Connection& connection, Way way) {
  Stream& stream = connection.streams.at(index(way));
  if (stream.has_ended || !stream.buffer.empty()) return;
  const Descriptor& sender = way == Way::to_server ? connection.client : connection.server;
  stream.buffer.resize(buffer_bytes_max);
  const ssize_t count = ::recv(sender.number(), stream.buffer.data(), stream.buffer.size(), MSG_DONTWAIT);
  const bool has_failed = count < 0 && errno != EAGAIN;
  stream.buffer.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
  stream.has_ended = count == 0;
  connection.is_broken = connection.is_broken || has_failed;
}

void CuttingProxy::pass_on(Connection& connection, Way way) {
  Stream& stream = connection.streams.at(index(way));
  Plan& plan = plans_.at(index(way));
  if (connection.is_broken || plan.is_held) return;
  const Descriptor& receiver = way == Way::to_server ? connection.server : connection.client;
  if (!stream.buffer.empty()) {
    const std::size_t count = allowed(stream, plan);
    const bool must_cut = count < stream.buffer.size() || count == plan.bytes_left;
    const ssize_t sent = ::send(receiver.number(), stream.buffer.data(), count, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && errno != EAGAIN) connection.is_broken = true;
    if (sent > 0) note(stream, way, static_cast<std::size_t>(sent));
    if (must_cut && sent == static_cast<ssize_t>(count)) {
      if (!plan.holds_before) return cut_all();
      plan.is_held = true;
      return;
    }
  }
  if (!stream.has_ended || !stream.buffer.empty() || stream.is_told) return;
  ::shutdown(receiver.number(), SHUT_WR);
  stream.is_told = true;
}

/// How much of the buffer may go before the cut that was asked for.
std::size_t CuttingProxy::allowed(const Stream& stream, const Plan& plan) const {
  const std::size_t count = std::min<std::uint64_t>(stream.buffer.size(), plan.bytes_left);
  if (plan.before.empty()) return count;
  const std::size_t found = (stream.tail + stream.buffer).find(plan.before);
  if (found == std::string::npos) return count;
  return std::min(count, found - std::min(found, stream.tail.size()));
}

void CuttingProxy::note(Stream& stream, Way way, std::size_t sent) {
  Plan& plan = plans_.at(index(way));
  stream.tail.append(stream.buffer, 0, sent);
  const std::size_t wanted = plan.before.empty() ? 0 : plan.before.size() - 1;
  if (stream.tail.size() > wanted) stream.tail.erase(0, stream.tail.size() - wanted);
  stream.buffer.erase(0, sent);
  passed_.at(index(way)) += sent;
  if (plan.bytes_left != unlimited) plan.bytes_left -= sent;
  changed_.notify_all();
}

void CuttingProxy::cut_all() {
  for (Connection& connection : connections_) {
    close_now(connection.client);
    close_now(connection.server);
    connection.is_broken = true;
  }
  for (Plan& plan : plans_) plan = {.is_held = plan.is_held};
  open_plans_ = 0;
  changed_.notify_all();
}

}  // namespace makegood::testing_support
