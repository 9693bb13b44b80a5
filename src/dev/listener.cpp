#include "dev/listener.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <utility>

#include "demo/receiver.hpp"

namespace makegood::dev {
namespace {

constexpr int stop_is_noticed_after_ms = 50;
constexpr std::size_t request_bytes_max = std::size_t{8} << 20;

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

std::map<std::string, std::string> headers_in(std::string_view head) {
  std::map<std::string, std::string> headers;
  for (std::size_t at = head.find("\r\n"); at != std::string_view::npos; at = head.find("\r\n", at + 2)) {
    const std::string_view line = head.substr(at + 2, head.find("\r\n", at + 2) - at - 2);
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    const std::size_t value = std::min(line.find_first_not_of(' ', colon + 1), line.size());
    headers[lower(line.substr(0, colon))] = line.substr(value);
  }
  return headers;
}

std::size_t length_in(const std::map<std::string, std::string>& headers) {
  std::size_t length = 0;
  const auto found = headers.find("content-length");
  if (found == headers.end()) return 0;
  std::from_chars(found->second.data(), found->second.data() + found->second.size(), length);
  return length;
}

/// True: there is something to read, or the other side is gone.
bool waits_for_bytes(const Descriptor& socket, const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    pollfd watched{.fd = socket.number(), .events = POLLIN, .revents = 0};
    if (::poll(&watched, 1, stop_is_noticed_after_ms) != 0) return true;
  }
  return false;
}

bool send_all(const Descriptor& socket, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket.number(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

std::string bytes_of(const Answer& answer) {
  return fmt::format("HTTP/1.1 {} -\r\nContent-Type: {}\r\nContent-Length: {}\r\n\r\n{}", answer.status,
                     answer.content_type, answer.body.size(), answer.body);
}

}  // namespace

std::optional<Request> take_request(std::string& bytes) {
  const std::size_t end = bytes.find("\r\n\r\n");
  if (end == std::string::npos) return std::nullopt;
  const std::string_view head = std::string_view(bytes).substr(0, end);
  Request request{.method = std::string(head.substr(0, head.find(' ')))};
  request.headers = headers_in(head);
  const std::size_t size = end + 4 + length_in(request.headers);
  if (bytes.size() < size) return std::nullopt;
  const std::size_t from = std::min(head.find(' '), head.size() - 1) + 1;
  const std::string_view target = head.substr(from, head.find(' ', from) - from);
  const std::size_t mark = std::min(target.find('?'), target.size());
  request.path = target.substr(0, mark);
  request.query = target.substr(std::min(mark + 1, target.size()));
  request.body = bytes.substr(end + 4, size - end - 4);
  bytes.erase(0, size);
  return request;
}

Result<std::unique_ptr<Listener>> Listener::open(std::uint16_t port) {
  Descriptor listener = demo::listen_on_loopback(port);
  if (!listener) {
    return Error{Errc::config_invalid, fmt::format("127.0.0.1:{} cannot be listened on; choose another --port.", port)};
  }
  const std::uint16_t bound = demo::port_of(listener);
  return std::unique_ptr<Listener>(new Listener(std::move(listener), bound));
}

Listener::Listener(Descriptor listener, std::uint16_t port) : listener_(std::move(listener)), port_(port) {}

Listener::~Listener() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
}

std::string Listener::url() const { return fmt::format("http://127.0.0.1:{}", port_); }

void Listener::start(Answerer answerer) {
  answerer_ = std::move(answerer);
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

void Listener::run(const std::stop_token& stop) {
  while (waits_for_bytes(listener_, stop)) {
    connections_.remove_if([](const Connection& connection) { return connection.is_over.load(); });
    Descriptor socket(::accept4(listener_.number(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!socket) continue;
    Connection& connection = connections_.emplace_back();
    connection.socket = std::move(socket);
    connection.thread = std::jthread([this, &connection](const std::stop_token& over) { serve(connection, over); });
  }
  connections_.clear();
}

void Listener::serve(Connection& connection, const std::stop_token& stop) {
  std::string unread;
  std::array<char, 16384> buffer{};
  bool is_open = true;
  while (is_open && waits_for_bytes(connection.socket, stop)) {
    const ssize_t size = ::recv(connection.socket.number(), buffer.data(), buffer.size(), 0);
    is_open = size > 0 && unread.size() < request_bytes_max;
    if (is_open) unread.append(buffer.data(), static_cast<std::size_t>(size));
    while (is_open) {
      const auto request = take_request(unread);
      if (!request) break;
      is_open = answer(connection.socket, *request, stop);
    }
  }
  ::shutdown(connection.socket.number(), SHUT_RDWR);
  connection.is_over = true;
}

/// One that is never answered lasts until the other side has had enough.
bool Listener::answer(const Descriptor& socket, const Request& request, const std::stop_token& stop) {
  const Answer answer = answerer_(request);
  if (answer.is_dropped) return false;
  if (!answer.is_silent) return send_all(socket, bytes_of(answer));
  waits_for_bytes(socket, stop);
  return false;
}

}  // namespace makegood::dev
