#include "transports/net/secrets.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstdlib>
#include <utility>

#include "base/descriptor.hpp"
#include "base/file_rights.hpp"
#include "transports/net/secret_places.hpp"

namespace makegood::net {
namespace {

constexpr std::string_view file_scheme = "file:";
constexpr std::string_view environment_scheme = "env:";
constexpr std::size_t secret_bytes_max = 16384;
constexpr Duration look_again_after = std::chrono::seconds(2);
constexpr Duration unreadable_max = std::chrono::minutes(1);

bool is_name_letter(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

bool is_environment_name(std::string_view name) { return !name.empty() && std::ranges::all_of(name, is_name_letter); }

/// Absolute, and leading nowhere but where it says.
bool is_absolute_path(std::string_view path) {
  if (!path.starts_with('/') || path.ends_with('/')) return false;
  if (std::ranges::any_of(path, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; })) return false;
  return path.find("/../") == std::string_view::npos && !path.ends_with("/..");
}

/// The reference says where the secret is, so it may be told; the secret may not.
Error unreadable(const std::string& reference, std::string_view why) {
  return {Errc::config_invalid, fmt::format("The secret {} {}.", reference, why)};
}

/// The very file that was found, whatever its path leads to by now.
std::string link_to(const Descriptor& found) { return fmt::format("/proc/self/fd/{}", found.number()); }

/// Found without being opened: to open a pipe or a device would keep the only thread waiting, or do worse.
struct FoundFile {
  Descriptor place;
  std::string real_path = {};
  unsigned mode = 0;
};

Result<FoundFile> find_file(const std::string& reference) {
  FoundFile found{.place = Descriptor(::open(std::string(path_of(reference)).c_str(), O_PATH | O_CLOEXEC))};
  struct stat status = {};
  if (!found.place || ::fstat(found.place.number(), &status) != 0) return unreadable(reference, "cannot be opened");
  if (!S_ISREG(status.st_mode)) return unreadable(reference, "is not a file");
  found.mode = status.st_mode;
  std::array<char, PATH_MAX> path = {};
  const ssize_t size = ::readlink(link_to(found.place).c_str(), path.data(), path.size());
  if (size <= 0) return unreadable(reference, "cannot be told where it is: /proc is not there");
  found.real_path.assign(path.data(), static_cast<std::size_t>(size));
  return found;
}

Result<std::string> read_all(const std::string& reference, const FoundFile& found) {
  const Descriptor file(::open(link_to(found.place).c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file) return unreadable(reference, "cannot be opened");
  std::string text;
  std::array<char, 4096> part = {};
  while (text.size() <= secret_bytes_max) {
    const ssize_t count = ::read(file.number(), part.data(), part.size());
    if (count < 0) return unreadable(reference, "cannot be read");
    if (count == 0) return text;
    text.append(part.data(), static_cast<std::size_t>(count));
  }
  return unreadable(reference, fmt::format("is longer than {} bytes", secret_bytes_max));
}

Result<std::string> read_environment(const std::string& reference) {
  const char* value = std::getenv(reference.c_str() + environment_scheme.size());
  if (value == nullptr) return unreadable(reference, "is not set");
  return std::string(value);
}

}  // namespace

Result<> check_reference(std::string_view reference) {
  if (reference.starts_with(file_scheme) && is_absolute_path(reference.substr(file_scheme.size()))) return {};
  if (reference.starts_with(environment_scheme) && is_environment_name(reference.substr(environment_scheme.size()))) {
    return {};
  }
  return Error{Errc::config_invalid, "A secret is given by where it is; allowed: file:/absolute/path or env:NAME."};
}

bool is_allowed(std::string_view reference, std::span<const std::string> allowed) {
  if (!check_reference(reference)) return false;
  return std::ranges::any_of(allowed, [&](std::string_view beginning) {
    if (beginning.empty() || !reference.starts_with(beginning)) return false;
    // `file:/run/secrets/tenants` must not allow `file:/run/secrets/tenants-of-others`.
    const bool is_whole = reference.size() == beginning.size() || beginning.ends_with('/');
    return is_whole || reference.starts_with(environment_scheme) || reference.at(beginning.size()) == '/';
  });
}

std::string_view path_of(std::string_view reference) {
  const std::string_view path = reference.starts_with(file_scheme) ? reference.substr(file_scheme.size()) : reference;
  return is_absolute_path(path) ? path : std::string_view();
}

Result<std::string> Secrets::read_file(const std::string& reference, const Places& places) {
  const FoundFile found = MAKEGOOD_TRY(find_file(reference));
  if (!is_really_in(found.real_path, places)) {
    return unreadable(reference,
                      "leads out of the places for secrets; put the file itself there, or name its folder with "
                      "`http.secret_places` in the configuration of the process");
  }
  warn_of(reference, found.mode);
  return read_all(reference, found);
}

void Secrets::warn_of(const std::string& reference, unsigned mode) {
  if (!warn_ || (mode & S_IROTH) == 0 || !warned_.insert(reference).second) return;
  warn_(everybody_reads(std::string(path_of(reference))));
}

Result<std::string> Secrets::read_text(const std::string& reference, const Places& places) {
  MAKEGOOD_TRY(check_reference(reference));
  const bool is_file = reference.starts_with(file_scheme);
  std::string text = MAKEGOOD_TRY(is_file ? read_file(reference, places) : read_environment(reference));
  if (text.ends_with('\n')) text.pop_back();
  if (text.ends_with('\r')) text.pop_back();
  if (text.empty()) return unreadable(reference, "is empty");
  return text;
}

Result<Secrets::Kept*> Secrets::look_up(const std::string& reference, const Places& places) {
  const MonotonicTime now = clock_.monotonic();
  auto found = kept_.find(reference);
  if (found != kept_.end() && found->second.places != places) {
    kept_.erase(found);
    found = kept_.end();
  }
  if (found != kept_.end() && now - found->second.looked_at < look_again_after) return &found->second;
  auto text = read_text(reference, places);
  if (!text && (found == kept_.end() || now - found->second.read_at > unreadable_max)) return std::move(text).error();
  Kept& kept = found != kept_.end() ? found->second : kept_[reference];
  kept.looked_at = now;
  kept.places = places;
  if (!text) return &kept;
  kept.read_at = now;
  if (kept.text != *text) kept = {.text = *std::move(text), .looked_at = now, .read_at = now, .places = places};
  return &kept;
}

Result<Secret> Secrets::read(const std::string& reference, const Places& places) {
  return Secret(MAKEGOOD_TRY(look_up(reference, places))->text);
}

}  // namespace makegood::net
