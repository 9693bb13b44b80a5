#include "demo/receiver.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace makegood::demo {
namespace {

constexpr int stop_is_noticed_after_ms = 100;
constexpr std::size_t unread_bytes_max = std::size_t{1} << 20;

/// The value of a header, its name written as Makegood and curl write it.
std::string header_in(std::string_view head, std::string_view name) {
  const std::string wanted = fmt::format("\r\n{}: ", name);
  const std::size_t found = head.find(wanted);
  if (found == std::string_view::npos) return {};
  const std::string_view rest = head.substr(found + wanted.size());
  return std::string(rest.substr(0, rest.find('\r')));
}

std::size_t content_length(std::string_view head) {
  std::size_t length = 0;
  const std::string text = header_in(head, "Content-Length");
  std::from_chars(text.data(), text.data() + text.size(), length);
  return length;
}

}  // namespace

DemoParsed parse_demo_request(std::string_view bytes) {
  const std::size_t end = bytes.find("\r\n\r\n");
  if (end == std::string_view::npos) return {};
  const std::string_view head = bytes.substr(0, end + 2);
  const std::size_t size = end + 4 + content_length(head);
  if (bytes.size() < size) return {};
  const std::string_view line = head.substr(0, head.find('\r'));
  const std::size_t path = line.find(' ') + 1;
  return {.request = {.path = std::string(line.substr(path, line.find(' ', path) - path)),
                      .key = header_in(head, "ce-subject"),
                      .execution = header_in(head, "makegood-execution"),
                      .body = std::string(bytes.substr(end + 4, size - end - 4))},
          .bytes = size};
}

std::string to_bytes(const DemoAnswer& answer) {
  if (answer.status == 204) return "HTTP/1.1 204 No Content\r\n\r\n";
  return fmt::format("HTTP/1.1 {} -\r\nContent-Type: text/plain\r\nContent-Length: {}\r\n\r\n{}", answer.status,
                     answer.text.size(), answer.text);
}

Descriptor listen_on_loopback(std::uint16_t port) {
  Descriptor listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int yes = 1;
  ::setsockopt(listener.number(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  const bool is_listening =
      ::bind(listener.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
      ::listen(listener.number(), SOMAXCONN) == 0;
  return is_listening ? std::move(listener) : Descriptor();
}

std::uint16_t port_of(const Descriptor& listener) {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  ::getsockname(listener.number(), reinterpret_cast<sockaddr*>(&address), &size);
  return ntohs(address.sin_port);
}

Result<std::unique_ptr<DemoReceiver>> DemoReceiver::open(Answerer answerer) {
  Descriptor listener = listen_on_loopback(0);
  if (!listener) return Error{Errc::internal, "The demo's receiver cannot listen on 127.0.0.1."};
  const std::uint16_t port = port_of(listener);
  return std::unique_ptr<DemoReceiver>(new DemoReceiver(std::move(listener), port, std::move(answerer)));
}

DemoReceiver::DemoReceiver(Descriptor listener, std::uint16_t port, Answerer answerer)
    : listener_(std::move(listener)), port_(port), answerer_(std::move(answerer)) {}

void DemoReceiver::start() {
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

std::string DemoReceiver::url() const { return fmt::format("http://127.0.0.1:{}", port_); }

void DemoReceiver::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    std::vector<pollfd> watched = {{.fd = listener_.number(), .events = POLLIN, .revents = 0}};
    for (const Connection& connection : connections_)
      watched.push_back({.fd = connection.socket.number(), .events = POLLIN, .revents = 0});
    if (::poll(watched.data(), watched.size(), stop_is_noticed_after_ms) <= 0) continue;
    std::vector<Connection> kept;
    for (std::size_t i = 0; i < connections_.size(); ++i) {
      const bool is_readable = watched[i + 1].revents != 0;
      if (!is_readable || read(connections_[i])) kept.push_back(std::move(connections_[i]));
    }
    connections_ = std::move(kept);
    if (watched.front().revents != 0) accept_one();
  }
}

void DemoReceiver::accept_one() {
  Descriptor socket(::accept4(listener_.number(), nullptr, nullptr, SOCK_CLOEXEC));
  if (socket) connections_.push_back({.socket = std::move(socket)});
}

bool DemoReceiver::read(Connection& connection) {
  std::array<char, 16384> buffer{};
  const ssize_t size = ::recv(connection.socket.number(), buffer.data(), buffer.size(), 0);
  if (size <= 0 || connection.unread.size() > unread_bytes_max) return false;
  connection.unread.append(buffer.data(), static_cast<std::size_t>(size));
  return answer_all(connection);
}

bool DemoReceiver::answer_all(Connection& connection) {
  for (;;) {
    const DemoParsed parsed = parse_demo_request(connection.unread);
    if (parsed.bytes == 0) return true;
    connection.unread.erase(0, parsed.bytes);
    const DemoAnswer answer = answerer_(parsed.request);
    if (answer.hangs_up) return false;
    const std::string bytes = to_bytes(answer);
    if (::send(connection.socket.number(), bytes.data(), bytes.size(), MSG_NOSIGNAL) < 0) return false;
  }
}

}  // namespace makegood::demo
