#include "stores/sqlite/change_watch.hpp"

#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <utility>

namespace makegood::sqlite {

void ChangeWatch::begin(const std::string& database_path) {
  if (descriptor_ >= 0) return;
  descriptor_ = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  const std::string log = database_path + "-wal";
  if (descriptor_ >= 0 && inotify_add_watch(descriptor_, log.c_str(), IN_MODIFY) < 0) {
    close(std::exchange(descriptor_, -1));
  }
}

ChangeWatch::~ChangeWatch() {
  if (descriptor_ >= 0) close(descriptor_);
}

void ChangeWatch::take() {
  if (descriptor_ < 0) return;
  std::array<char, 4096> events{};
  while (read(descriptor_, events.data(), events.size()) > 0) continue;
}

}  // namespace makegood::sqlite
