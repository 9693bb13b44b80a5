#include "config/watch.hpp"

#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <utility>

#include "base/real_time.hpp"

namespace makegood::config {
namespace {

Error failed(std::string_view what) {
  return {Errc::unavailable, "Changes of the configuration cannot be watched; restart to take them over.",
          fmt::format("{}: {}", what, std::strerror(errno))};
}

std::optional<FileState> state_of(const std::string& file) {
  struct stat found = {};
  if (::stat(file.c_str(), &found) != 0) return {};
  return FileState{.device = found.st_dev,
                   .inode = found.st_ino,
                   .size = found.st_size,
                   .changed_ns = found.st_mtim.tv_sec * 1'000'000'000 + found.st_mtim.tv_nsec};
}

bool is_symbolic_link(const std::string& file) {
  std::error_code ignored;
  return std::filesystem::is_symlink(file, ignored);
}

Result<> add_to(const Descriptor& events, const Descriptor& source) {
  epoll_event event = {.events = EPOLLIN, .data = {.fd = source.number()}};
  if (::epoll_ctl(events.number(), EPOLL_CTL_ADD, source.number(), &event) != 0) return failed("epoll_ctl");
  return {};
}

}  // namespace

Result<Watch> Watch::open(const std::optional<std::string>& file) {
  Watch watch;
  watch.events_ = Descriptor(::epoll_create1(EPOLL_CLOEXEC));
  if (watch.events_.number() < 0) return failed("epoll_create1");
  MAKEGOOD_TRY(watch.watch_signal());
  if (!file) return watch;
  const std::filesystem::path path(*file);
  watch.file_ = *file;
  watch.folder_ = path.has_parent_path() ? path.parent_path().string() : ".";
  watch.name_ = path.filename().string();
  MAKEGOOD_TRY(watch.watch_folder());
  return watch;
}

Result<> Watch::watch_signal() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGHUP);
  if (errno = ::pthread_sigmask(SIG_BLOCK, &signals, nullptr); errno != 0) return failed("pthread_sigmask");
  signals_ = Descriptor(::signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK));
  if (signals_.number() < 0) return failed("signalfd");
  return add_to(events_, signals_);
}

Result<> Watch::watch_folder() {
  folder_events_ = Descriptor(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  if (folder_events_.number() < 0) return failed("inotify_init1");
  const std::uint32_t mask = IN_CLOSE_WRITE | IN_MOVED_TO | IN_CREATE | IN_ONLYDIR;
  if (::inotify_add_watch(folder_events_.number(), folder_.c_str(), mask) < 0) return failed("inotify_add_watch");
  // After the watch is set up: a change in between is then told twice, never missed.
  state_ = state_of(file_);
  return add_to(events_, folder_events_);
}

std::optional<Trigger> Watch::poll() {
  const bool has_signal = take_signals();
  const bool has_file = take_file_events();
  if (has_signal) return Trigger::signal;
  if (has_file) return Trigger::file;
  return {};
}

std::optional<Trigger> Watch::wait(Duration timeout) {
  const MonotonicTime deadline = real_now() + timeout;
  while (true) {
    if (const std::optional<Trigger> trigger = poll()) return trigger;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - real_now()).count();
    if (left <= 0) return {};
    epoll_event event = {};
    // Interrupted or not: the next poll tells.
    ::epoll_wait(events_.number(), &event, 1, static_cast<int>(std::min<std::int64_t>(left, 60'000)));
  }
}

bool Watch::take_signals() {
  signalfd_siginfo info = {};
  bool has_any = false;
  while (::read(signals_.number(), &info, sizeof info) == sizeof info) has_any = true;
  return has_any;
}

bool Watch::take_file_events() {
  if (folder_events_.number() < 0) return false;
  alignas(inotify_event) std::array<char, 4096> buffer = {};
  bool has_any = false;
  for (ssize_t length = 0; (length = ::read(folder_events_.number(), buffer.data(), buffer.size())) > 0;) {
    for (std::size_t at = 0; at < static_cast<std::size_t>(length);) {
      inotify_event event = {};
      std::memcpy(&event, buffer.data() + at, sizeof event);
      const std::string name = event.len == 0 ? std::string() : std::string(buffer.data() + at + sizeof event);
      has_any = is_meant(event.mask, name) || has_any;
      at += sizeof event + event.len;
    }
  }
  if (has_any) state_ = state_of(file_);
  return has_any;
}

bool Watch::is_meant(std::uint32_t mask, const std::string& name) const {
  if ((mask & IN_Q_OVERFLOW) != 0) return true;
  // A regular file that has just been created is still empty; it counts when it is closed.
  if (name == name_) return (mask & IN_CREATE) == 0 || is_symbolic_link(file_);
  // Something else in the folder counts when the path now leads to another file: a link on the way was swapped. While
  // it leads nowhere the running configuration stays.
  if ((mask & (IN_MOVED_TO | IN_CREATE)) == 0) return false;
  const std::optional<FileState> now = state_of(file_);
  return now.has_value() && now != state_;
}

}  // namespace makegood::config
