#include "tests/crash/small_disk.hpp"

#include <fcntl.h>
#include <linux/sched.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <vector>

#include "makegood/spi/assert.hpp"

namespace makegood::crash {
namespace {

std::string failed(const std::string& what) { return what + ": " + std::strerror(errno); }

/// Whoever is not root becomes it in a user namespace of its own, where the kernel allows that.
std::string leave_namespace() {
  if (syscall(SYS_unshare, CLONE_NEWNS) == 0) return {};
  const std::string map = "0 " + std::to_string(getuid()) + " 1";
  if (syscall(SYS_unshare, CLONE_NEWUSER | CLONE_NEWNS) != 0)
    return failed("neither root nor user namespaces (unshare)");
  std::ofstream("/proc/self/uid_map") << map;
  return {};
}

std::filesystem::path ballast(const std::filesystem::path& folder) { return folder / "ballast"; }

}  // namespace

std::string mount_small_disk(const std::filesystem::path& folder, std::size_t bytes) {
  if (const std::string reason = leave_namespace(); !reason.empty()) return reason;
  if (mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return failed("mount namespace");
  const std::string options = "size=" + std::to_string(bytes);
  if (mount("tmpfs", folder.c_str(), "tmpfs", 0, options.c_str()) != 0) return failed("mount of a tmpfs");
  return {};
}

void fill_disk(const std::filesystem::path& folder, std::size_t leaving) {
  const int file = ::open(ballast(folder).c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  MAKEGOOD_ASSERT(file >= 0);
  const std::vector<char> block(4096, 'x');
  while (::write(file, block.data(), block.size()) > 0) continue;
  MAKEGOOD_ASSERT(errno == ENOSPC);
  ::close(file);
  std::filesystem::resize_file(ballast(folder), std::filesystem::file_size(ballast(folder)) - leaving);
}

void free_disk(const std::filesystem::path& folder) { std::filesystem::remove(ballast(folder)); }

}  // namespace makegood::crash
