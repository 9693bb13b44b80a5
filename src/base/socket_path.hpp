// The address of a socket that is a file.
#pragma once

#include <sys/socket.h>
#include <sys/un.h>

#include <cstring>
#include <optional>
#include <string_view>

namespace makegood {

class SocketPath {
 public:
  /// Nothing: it is empty, or longer than the system allows.
  static std::optional<SocketPath> from(std::string_view path) {
    SocketPath made;
    if (path.empty() || path.size() >= sizeof made.address_.sun_path) return std::nullopt;
    std::memcpy(made.address_.sun_path, path.data(), path.size());
    return made;
  }

  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&address_); }
  static socklen_t size() { return sizeof(sockaddr_un); }

 private:
  SocketPath() { address_.sun_family = AF_UNIX; }
  sockaddr_un address_{};
};

}  // namespace makegood
