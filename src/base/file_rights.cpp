#include "base/file_rights.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

namespace makegood {

bool may_everybody_read(const std::string& path) {
  struct stat status = {};
  return ::stat(path.c_str(), &status) == 0 && (status.st_mode & S_IROTH) != 0;
}

std::string everybody_reads(const std::string& path) {
  return fmt::format("everybody on this machine may read {}; chmod 600 it, and make another secret", path);
}

}  // namespace makegood
