#include "daemon/door.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "base/descriptor.hpp"
#include "daemon/listening.hpp"

namespace makegood::daemon {
namespace {

constexpr const char* system_folder = "/run/makegood";
constexpr std::size_t secret_bytes = 32;
constexpr std::size_t token_bytes_max = 256;
constexpr mode_t for_us_alone = 0700;
constexpr mode_t others_write = 022;
constexpr mode_t others_at_all = 077;

std::string variable(const config::Environment& environment, std::string_view name) {
  const auto found = std::ranges::find(environment, name, &std::pair<std::string, std::string>::first);
  return found == environment.end() ? std::string() : found->second;
}

/// A folder that somebody else made, or can write into, is a trap.
bool is_own_folder(const std::string& folder) {
  struct stat status = {};
  return ::lstat(folder.c_str(), &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == ::geteuid() &&
         (status.st_mode & others_write) == 0 && ::access(folder.c_str(), W_OK | X_OK) == 0;
}

bool is_ours_or_roots(uid_t owner) { return owner == ::geteuid() || owner == 0 || ::geteuid() == 0; }

Error cannot_write(const std::string& file) {
  return {Errc::unavailable, fmt::format("Cannot write {}: {}.", file, std::strerror(errno))};
}

std::string in_hexadecimal(const std::array<unsigned char, secret_bytes>& bytes) {
  std::string text;
  for (const unsigned char byte : bytes) text += fmt::format("{:02x}", byte);
  return text;
}

Result<std::string> make_token(const std::string& file) {
  std::array<unsigned char, secret_bytes> bytes = {};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) return cannot_write(file);
  const std::string secret = in_hexadecimal(bytes);
  const std::string line = secret + "\n";
  ::unlink(file.c_str());
  const Descriptor opened(::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!opened) return cannot_write(file);
  if (::write(opened.number(), line.data(), line.size()) != static_cast<ssize_t>(line.size())) {
    return cannot_write(file);
  }
  return secret;
}

bool answers_at(const std::string& path) {
  struct stat status = {};
  sockaddr_un address = {};
  if (path.size() >= sizeof address.sun_path || ::lstat(path.c_str(), &status) != 0) return false;
  if (!S_ISSOCK(status.st_mode) || !is_ours_or_roots(status.st_uid)) return false;
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, path.size());
  const Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  return ::connect(socket.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

uid_t owner_of(const std::string& file) {
  struct stat status = {};
  return ::stat(file.c_str(), &status) == 0 ? status.st_uid : static_cast<uid_t>(-1);
}

}  // namespace

std::vector<std::string> door_folders(const std::string& configured, const config::Environment& environment) {
  if (!configured.empty()) return {configured};
  std::vector<std::string> folders = {system_folder};
  const std::string runtime = variable(environment, "XDG_RUNTIME_DIR");
  if (runtime.starts_with('/')) folders.push_back(runtime + "/makegood");
  folders.push_back(fmt::format("/tmp/makegood-{}", ::geteuid()));
  return folders;
}

DoorFiles door_files(const std::string& folder, const server::Address& address) {
  const bool is_usual = address.host == "127.0.0.1" || address.host == "0.0.0.0" || address.host == "::";
  const std::string name =
      is_usual ? fmt::format("{}", address.port) : fmt::format("{}_{}", address.host, address.port);
  return {.socket = fmt::format("{}/{}.sock", folder, name), .token = fmt::format("{}/{}.token", folder, name)};
}

Result<DoorFiles> make_door(const std::vector<std::string>& folders, const server::Address& address) {
  for (const std::string& folder : folders) {
    ::mkdir(folder.c_str(), for_us_alone);
    if (is_own_folder(folder)) return door_files(folder, address);
  }
  return Error{Errc::unavailable,
               fmt::format("None of {} is a folder of this user's own that others cannot write into.",
                           fmt::join(folders, ", "))};
}

Result<std::string> kept_token(const std::string& file) {
  struct stat status = {};
  const bool is_private = ::lstat(file.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
                          status.st_uid == ::geteuid() && (status.st_mode & others_at_all) == 0;
  const auto kept = is_private ? read_token(file) : std::nullopt;
  if (kept && kept->size() == 2 * secret_bytes) return *kept;
  return make_token(file);
}

std::optional<std::string> read_token(const std::string& file) {
  const Descriptor opened(::open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat status = {};
  if (!opened || ::fstat(opened.number(), &status) != 0) return {};
  if (!S_ISREG(status.st_mode) || !is_ours_or_roots(status.st_uid)) return {};
  std::array<char, token_bytes_max> text = {};
  const ssize_t count = ::read(opened.number(), text.data(), text.size());
  std::string token(text.data(), static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  while (!token.empty() && token.back() <= ' ') token.pop_back();
  if (token.empty()) return {};
  return token;
}

std::optional<server::Address> local_address_in(const std::string& url) {
  constexpr std::string_view scheme = "http://";
  if (!url.starts_with(scheme)) return {};
  const std::string_view rest = std::string_view(url).substr(scheme.size());
  const auto address = server::parse_address(rest.substr(0, rest.find('/')));
  if (!address || !address->is_loopback) return {};
  return *address;
}

/// A token is not handed to a stranger who has taken the port while the daemon is away: who listens must be the one who
/// wrote it.
WayIn find_way_in(const std::string& url, const std::vector<std::string>& folders) {
  const auto address = local_address_in(url);
  if (!address) return {};
  for (const std::string& folder : folders) {
    const DoorFiles files = door_files(folder, *address);
    if (answers_at(files.socket)) return {.socket = files.socket};
  }
  for (const std::string& folder : folders) {
    const DoorFiles files = door_files(folder, *address);
    const auto token = read_token(files.token);
    if (token && is_listening(*address, owner_of(files.token))) return {.token = *token};
  }
  return {};
}

}  // namespace makegood::daemon
