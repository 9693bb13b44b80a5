#include "daemon/doorbell_socket.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "base/socket_path.hpp"

namespace makegood::daemon {
namespace {

Descriptor new_socket() { return Descriptor(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)); }

/// A socket file stays when its process is killed. Any other file refuses a call as well, and is not ours to remove.
bool is_left_behind(const std::string& path, const SocketPath& address) {
  struct stat file = {};
  if (::lstat(path.c_str(), &file) != 0 || !S_ISSOCK(file.st_mode)) return false;
  const Descriptor caller = new_socket();
  return ::connect(caller.number(), address.get(), SocketPath::size()) != 0 && errno == ECONNREFUSED;
}

bool bind(const Descriptor& socket, const SocketPath& address) {
  return ::bind(socket.number(), address.get(), SocketPath::size()) == 0;
}

Error cannot_listen(const std::string& path, std::string_view why) {
  return {Errc::config_invalid, fmt::format("Nobody can ring at {} (server.doorbell): {}.", path, why)};
}

}  // namespace

Result<DoorbellSocket> DoorbellSocket::open(const std::string& path) {
  const auto address = SocketPath::from(path);
  if (!address) return cannot_listen(path, "the path of a socket has 1 to 107 bytes");
  Descriptor socket = new_socket();
  if (!bind(socket, *address)) {
    if (errno != EADDRINUSE) return cannot_listen(path, std::strerror(errno));
    if (!is_left_behind(path, *address))
      return cannot_listen(path, "another process listens there, or it is no socket");
    ::unlink(path.c_str());
    if (!bind(socket, *address)) return cannot_listen(path, std::strerror(errno));
  }
  ::chmod(path.c_str(), 0666);
  return DoorbellSocket(path, std::move(socket));
}

DoorbellSocket::~DoorbellSocket() {
  if (!path_.empty()) ::unlink(path_.c_str());
}

DoorbellSocket::DoorbellSocket(DoorbellSocket&& other) noexcept
    : path_(std::exchange(other.path_, {})), socket_(std::move(other.socket_)) {}

DoorbellSocket& DoorbellSocket::operator=(DoorbellSocket&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(socket_, other.socket_);
  return *this;
}

bool DoorbellSocket::was_rung() const {
  bool is_rung = false;
  char nothing = 0;
  while (socket_ && ::recv(socket_.number(), &nothing, sizeof nothing, 0) >= 0) is_rung = true;
  return is_rung;
}

}  // namespace makegood::daemon
