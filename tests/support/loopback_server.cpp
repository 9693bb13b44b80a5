#include "tests/support/loopback_server.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <stdexcept>
#include <utility>

namespace makegood::testing_support {
namespace {

void demand(bool works, const char* what) {
  if (!works) throw std::runtime_error(std::string("loopback server: ") + what);
}

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

HttpRequest parse_head(const std::string& head) {
  HttpRequest request;
  const std::size_t path = head.find(' ') + 1;
  request.path = head.substr(path, head.find(' ', path) - path);
  for (std::size_t line = head.find("\r\n") + 2; line < head.size();) {
    const std::size_t end = std::min(head.find("\r\n", line), head.size());
    const std::size_t colon = head.find(": ", line);
    if (colon < end) request.headers[lower(head.substr(line, colon - line))] = head.substr(colon + 2, end - colon - 2);
    line = end + 2;
  }
  return request;
}

std::size_t content_length(const HttpRequest& request) {
  const auto found = request.headers.find("content-length");
  return found == request.headers.end() ? 0 : std::stoul(found->second);
}

}  // namespace

struct LoopbackServer::Connection {
  int descriptor = -1;
  std::string in = {};
  std::string out = {};
  std::string withheld = {};
  std::string endless = {};
  bool closes = false;
};

LoopbackServer::LoopbackServer(Answer answer) : answer_(std::move(answer)) {
  listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto* const plain = reinterpret_cast<sockaddr*>(&address);
  socklen_t size = sizeof address;
  demand(::bind(listener_, plain, size) == 0 && ::listen(listener_, 4096) == 0, "listen");
  demand(::getsockname(listener_, plain, &size) == 0, "getsockname");
  port_ = ntohs(address.sin_port);
  epoll_ = ::epoll_create1(EPOLL_CLOEXEC);
  doorbell_ = ::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  for (const int descriptor : {listener_, doorbell_}) {
    epoll_event event{.events = EPOLLIN, .data = {.fd = descriptor}};
    demand(::epoll_ctl(epoll_, EPOLL_CTL_ADD, descriptor, &event) == 0, "epoll");
  }
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

LoopbackServer::~LoopbackServer() {
  thread_.request_stop();
  wake();
  thread_.join();
  for (const int descriptor : {listener_, doorbell_, epoll_}) ::close(descriptor);
}

std::string LoopbackServer::url(const std::string& path) const {
  return "http://127.0.0.1:" + std::to_string(port_) + path;
}

std::size_t LoopbackServer::accepted_count() {
  const std::lock_guard lock(mutex_);
  return accepted_count_;
}
std::size_t LoopbackServer::received_count() {
  const std::lock_guard lock(mutex_);
  return received_.size();
}
std::vector<HttpRequest> LoopbackServer::received() {
  const std::lock_guard lock(mutex_);
  return received_;
}
bool LoopbackServer::await_received(std::size_t count, std::chrono::milliseconds limit) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, limit, [&] { return received_.size() >= count; });
}
bool LoopbackServer::await_all_closed(std::chrono::milliseconds limit) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, limit, [&] { return open_count_ == 0; });
}
void LoopbackServer::release() {
  std::unique_lock lock(mutex_);
  wants_release_ = true;
  wake();
  changed_.wait(lock, [this] { return is_released_; });
}
void LoopbackServer::close_all() {
  std::unique_lock lock(mutex_);
  wants_close_ = true;
  wake();
  changed_.wait(lock, [this] { return !wants_close_; });
}

void LoopbackServer::wake() {
  const std::uint64_t one = 1;
  demand(::write(doorbell_, &one, sizeof one) == sizeof one, "eventfd");
}

// The thread
// --------------------------------------------------------------------------------------------------------------------

void LoopbackServer::run(const std::stop_token& stop) {
  std::array<epoll_event, 256> events = {};
  while (!stop.stop_requested()) {
    const int count = ::epoll_wait(epoll_, events.data(), events.size(), -1);
    for (int i = 0; i < count; ++i) {
      const epoll_event event = events.at(static_cast<std::size_t>(i));
      if (event.data.fd == listener_) accept();
      if (event.data.fd == doorbell_) obey();
      if ((event.events & EPOLLOUT) != 0 && connections_.contains(event.data.fd)) {
        write(*connections_.at(event.data.fd));
      }
      if ((event.events & ~static_cast<std::uint32_t>(EPOLLOUT)) != 0 && connections_.contains(event.data.fd)) {
        read(*connections_.at(event.data.fd));
      }
    }
  }
  while (!connections_.empty()) close(connections_.begin()->first);
}

void LoopbackServer::accept() {
  for (;;) {
    const int descriptor = ::accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (descriptor < 0) return;
    connections_[descriptor] = std::make_unique<Connection>(Connection{.descriptor = descriptor});
    // Both ways, on changes only: the buffers of the kernel are emptied each time.
    epoll_event event{.events = EPOLLIN | EPOLLOUT | EPOLLET, .data = {.fd = descriptor}};
    demand(::epoll_ctl(epoll_, EPOLL_CTL_ADD, descriptor, &event) == 0, "epoll");
    const std::lock_guard lock(mutex_);
    ++accepted_count_;
    ++open_count_;
  }
}

void LoopbackServer::read(Connection& connection) {
  std::array<char, 65536> buffer;  // NOLINT: filled before it is read
  const int descriptor = connection.descriptor;
  for (;;) {
    const ssize_t got = ::recv(descriptor, buffer.data(), buffer.size(), 0);
    if (got < 0 && errno == EAGAIN) break;
    if (got <= 0) return close(descriptor);
    connection.in.append(buffer.data(), static_cast<std::size_t>(got));
  }
  while (connections_.contains(descriptor) && take_request(connection)) {
  }
}

bool LoopbackServer::take_request(Connection& connection) {
  const std::size_t end = connection.in.find("\r\n\r\n");
  if (end == std::string::npos) return false;
  HttpRequest request = parse_head(connection.in.substr(0, end + 2));
  const std::size_t length = content_length(request);
  if (connection.in.size() < end + 4 + length) return false;
  request.body = connection.in.substr(end + 4, length);
  connection.in.erase(0, end + 4 + length);
  answer(connection, request);
  return true;
}

void LoopbackServer::answer(Connection& connection, const HttpRequest& request) {
  HttpReply reply = answer_(request);
  {
    const std::lock_guard lock(mutex_);
    received_.push_back(request);
    if (is_released_) reply.hangs = false;
    changed_.notify_all();
  }
  connection.closes = reply.closes;
  connection.endless = std::move(reply.endless);
  connection.out += reply.first;
  (reply.hangs ? connection.withheld : connection.out) += reply.bytes;
  write(connection);
}

void LoopbackServer::write(Connection& connection) {
  for (;;) {
    if (connection.out.empty()) connection.out = connection.endless;
    if (connection.out.empty()) break;
    const ssize_t sent = ::send(connection.descriptor, connection.out.data(), connection.out.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EAGAIN) return;
    if (sent < 0) return close(connection.descriptor);
    connection.out.erase(0, static_cast<std::size_t>(sent));
  }
  if (connection.closes) close(connection.descriptor);
}

void LoopbackServer::close(int descriptor) {
  connections_.erase(descriptor);
  ::close(descriptor);
  const std::lock_guard lock(mutex_);
  --open_count_;
  changed_.notify_all();
}

void LoopbackServer::obey() {
  std::uint64_t rung = 0;
  demand(::read(doorbell_, &rung, sizeof rung) == sizeof rung, "eventfd");
  std::unique_lock lock(mutex_);
  const bool releases = wants_release_ && !is_released_;
  const bool closes = wants_close_;
  lock.unlock();
  std::vector<int> all;
  all.reserve(connections_.size());
  for (const auto& [descriptor, connection] : connections_) all.push_back(descriptor);
  for (const int descriptor : all) {
    Connection& connection = *connections_.at(descriptor);
    if (releases) connection.out += std::exchange(connection.withheld, {});
    if (releases) write(connection);
    if (closes && connections_.contains(descriptor)) close(descriptor);
  }
  lock.lock();
  is_released_ = is_released_ || releases;
  wants_close_ = false;
  changed_.notify_all();
}

}  // namespace makegood::testing_support
