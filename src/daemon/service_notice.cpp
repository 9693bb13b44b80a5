#include "daemon/service_notice.hpp"

#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <charconv>
#include <cstddef>
#include <cstring>

namespace makegood::daemon {
namespace {

std::string variable(const char* name) {
  const char* const value = ::getenv(name);  // NOLINT(concurrency-mt-unsafe): before the first thread.
  return value == nullptr ? std::string() : std::string(value);
}

std::optional<std::int64_t> whole_number(const std::string& text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return {};
  return number;
}

/// WATCHDOG_PID says for whom it is meant.
std::optional<Duration> expected_signs() {
  const auto microseconds = whole_number(variable("WATCHDOG_USEC"));
  const auto process = whole_number(variable("WATCHDOG_PID"));
  if (!microseconds || *microseconds <= 0 || (process && *process != ::getpid())) return {};
  return Duration(*microseconds);
}

}  // namespace

ServiceNotice ServiceNotice::from_environment() {
  ServiceNotice notice;
  notice.address_ = variable("NOTIFY_SOCKET");
  const bool is_path = notice.address_.starts_with('/') || notice.address_.starts_with('@');
  if (!is_path || notice.address_.size() >= sizeof(sockaddr_un::sun_path)) {
    notice.address_.clear();
    return notice;
  }
  notice.socket_ = Descriptor(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  notice.watchdog_time_ = expected_signs();
  return notice;
}

void ServiceNotice::send(const std::string& text) const {
  if (address_.empty() || !socket_) return;
  sockaddr_un to{};
  to.sun_family = AF_UNIX;
  std::memcpy(to.sun_path, address_.data(), address_.size());
  if (address_.front() == '@') to.sun_path[0] = '\0';  // A name that is no file.
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + address_.size());
  // Nobody is there to hear if it fails.
  ::sendto(socket_.number(), text.data(), text.size(), MSG_NOSIGNAL, reinterpret_cast<const sockaddr*>(&to), length);
}

}  // namespace makegood::daemon
