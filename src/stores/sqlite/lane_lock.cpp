#include "stores/sqlite/lane_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace makegood::sqlite {
namespace {

constexpr mode_t lock_file_mode = 0644;

Error lock_failure(const std::string& file) {
  return {Errc::store_unavailable, "The lock file beside the database cannot be used.",
          fmt::format("{}: {}", file, std::strerror(errno))};
}

}  // namespace

Result<bool> LaneLock::try_acquire() {
  if (is_held()) return true;
  const int descriptor = open(file_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, lock_file_mode);
  if (descriptor < 0) return lock_failure(file_);
  if (flock(descriptor, LOCK_EX | LOCK_NB) == 0) {
    descriptor_ = descriptor;
    return true;
  }
  const bool is_held_elsewhere = errno == EWOULDBLOCK;
  Error error = lock_failure(file_);
  close(descriptor);
  if (is_held_elsewhere) return false;
  return error;
}

void LaneLock::release() {
  if (!is_held()) return;
  close(descriptor_);
  descriptor_ = -1;
}

}  // namespace makegood::sqlite
