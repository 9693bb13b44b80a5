#include "bench/sink/server.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <optional>

#include "makegood/spi/assert.hpp"

namespace makegood::bench {
namespace {

constexpr std::string_view ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}";
constexpr int backlog = 4096;

/// An answer is small and its connection has no other: the kernel takes it whole, unless the client has gone.
void write_all(int socket, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (written > 0) bytes.remove_prefix(static_cast<std::size_t>(written));
    if (written < 0 && errno != EINTR && errno != EAGAIN) return;
  }
}

std::uint16_t port_of(int socket) {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  MAKEGOOD_ASSERT(getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size) == 0);
  return ntohs(address.sin_port);
}

timespec until(std::chrono::steady_clock::time_point due) {
  using namespace std::chrono;
  const auto left = std::max(nanoseconds(0), duration_cast<nanoseconds>(due - steady_clock::now())).count();
  return timespec{.tv_sec = left / 1'000'000'000, .tv_nsec = left % 1'000'000'000};
}

}  // namespace

Descriptor::~Descriptor() {
  if (number_ >= 0) close(number_);
}

Server::Server(std::size_t addresses) : epoll_(epoll_create1(EPOLL_CLOEXEC)) {
  for (std::uint32_t i = 0; i < addresses; ++i) listen_on(INADDR_LOOPBACK + i);
}

void Server::listen_on(std::uint32_t address) {
  Descriptor listener(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  sockaddr_in place{};
  place.sin_family = AF_INET;
  place.sin_addr.s_addr = htonl(address);
  place.sin_port = htons(port_);
  MAKEGOOD_ASSERT(bind(listener.number(), reinterpret_cast<const sockaddr*>(&place), sizeof place) == 0);
  MAKEGOOD_ASSERT(listen(listener.number(), backlog) == 0);
  port_ = port_of(listener.number());
  watch(listener.number());
  listeners_.push_back(std::move(listener));
}

void Server::watch(int descriptor) {
  epoll_event event{.events = EPOLLIN, .data = {.fd = descriptor}};
  MAKEGOOD_ASSERT(epoll_ctl(epoll_.number(), EPOLL_CTL_ADD, descriptor, &event) == 0);
}

void Server::serve_once() {
  std::array<epoll_event, 512> events{};
  const auto wait = later_.empty() ? std::nullopt : std::optional(until(later_.top().due));
  const int count = epoll_pwait2(epoll_.number(), events.data(), events.size(), wait ? &*wait : nullptr, nullptr);
  for (int i = 0; i < count; ++i) {
    const auto socket = static_cast<std::size_t>(events[static_cast<std::size_t>(i)].data.fd);
    const bool is_connection = socket < connections_.size() && connections_[socket] != nullptr;
    is_connection ? read(*connections_[socket]) : accept_all(static_cast<int>(socket));
  }
  answer_due();
}

void Server::accept_all(int listener) {
  while (true) {
    const int socket = accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (socket < 0) return;
    const int yes = 1;
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    const auto place = static_cast<std::size_t>(socket);
    if (connections_.size() <= place) connections_.resize(place + 1);
    connections_[place] = std::make_unique<Connection>(Connection{.socket = Descriptor(socket), .serial = ++serial_});
    watch(socket);
  }
}

void Server::read(Connection& connection) {
  const ssize_t size = recv(connection.socket.number(), buffer_.data(), buffer_.size(), 0);
  if (size < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (size <= 0) return drop(connection);
  take(connection, {buffer_.data(), static_cast<std::size_t>(size)});
}

/// Most requests arrive whole and are answered from the buffer that they were read into.
void Server::take(Connection& connection, std::string_view bytes) {
  std::string joined;
  if (!connection.unread.empty()) {
    joined = std::move(connection.unread) + std::string(bytes);
    bytes = joined;
  }
  while (!connection.is_answering && !bytes.empty()) {
    const std::size_t taken = begin_answer(connection, bytes);
    if (taken == 0) break;
    bytes.remove_prefix(taken);
  }
  connection.unread = bytes;
}

/// The size of the request that was taken; 0 if it is not there as a whole.
std::size_t Server::begin_answer(Connection& connection, std::string_view bytes) {
  const auto request = first_request(bytes);
  if (!request) return 0;
  const Manner manner = manner_of(request->path);
  if (manner.is_noted) note(*request);
  const int socket = connection.socket.number();
  switch (manner.kind) {
    case Manner::Kind::at_once:
      write_all(socket, ok);
      break;
    case Manner::Kind::after:
      connection.is_answering = true;
      later_.push({.due = Clock::now() + manner.delay, .socket = socket, .serial = connection.serial});
      break;
    case Manner::Kind::never:
      connection.is_answering = true;
      break;
    case Manner::Kind::arrivals:
      write_all(socket, arrivals());
      break;
  }
  return request->size;
}

void Server::answer_due() {
  for (const auto now = Clock::now(); !later_.empty() && later_.top().due <= now; later_.pop()) {
    const Later& later = later_.top();
    Connection* connection = connections_[static_cast<std::size_t>(later.socket)].get();
    if (connection == nullptr || connection->serial != later.serial) continue;
    write_all(later.socket, ok);
    connection->is_answering = false;
    if (!connection->unread.empty()) take(*connection, {});
  }
}

void Server::note(const SinkRequest& request) {
  const auto at = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now().time_since_epoch()).count();
  fmt::format_to(std::back_inserter(noted_), "{} {}\n", event_id_of(request), at);
}

std::string Server::arrivals() {
  std::string answer = fmt::format("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{}", noted_.size(), noted_);
  noted_.clear();
  return answer;
}

void Server::drop(Connection& connection) {
  connections_[static_cast<std::size_t>(connection.socket.number())].reset();
}

}  // namespace makegood::bench
