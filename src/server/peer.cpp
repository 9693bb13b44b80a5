#include "server/peer.hpp"

#include <fmt/format.h>
#include <pwd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>

namespace makegood::server {
namespace {

std::string name_of(uid_t user) {
  std::array<char, 4096> room = {};
  passwd entry = {};
  passwd* found = nullptr;
  const bool is_known = ::getpwuid_r(user, &entry, room.data(), room.size(), &found) == 0 && found != nullptr;
  return is_known ? std::string(entry.pw_name) : fmt::format("uid {}", user);
}

}  // namespace

std::optional<std::string> trusted_user_at(int socket) {
  ucred peer = {};
  socklen_t size = sizeof peer;
  if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return {};
  // The mode of the socket says the same; somebody may have changed it.
  if (peer.uid != ::geteuid() && peer.uid != 0) return {};
  return name_of(peer.uid);
}

}  // namespace makegood::server
