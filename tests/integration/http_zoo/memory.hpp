// How much memory this process uses at most while something happens.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <fstream>
#include <string>
#include <thread>

#if defined(__SANITIZE_ADDRESS__)
extern "C" std::size_t __sanitizer_get_current_allocated_bytes();  // GCC installs no header for it.
#endif

namespace makegood {

/// What is allocated, or resident. With the address sanitizer memory that was freed stays resident for a while.
inline std::size_t bytes_in_use() {
#if defined(__SANITIZE_ADDRESS__)
  return __sanitizer_get_current_allocated_bytes();
#else
  std::ifstream figures("/proc/self/status");
  for (std::string line; std::getline(figures, line);) {
    if (line.starts_with("VmRSS:")) return std::stoul(line.substr(6)) << 10;
  }
  return 0;
#endif
}

/// Watches from its construction on.
class MemoryWatch {
 public:
  std::size_t growth_max() const { return most_ - before_; }

 private:
  const std::size_t before_ = bytes_in_use();
  std::atomic<std::size_t> most_ = before_;
  std::jthread watcher_{[this](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      most_ = std::max(most_.load(), bytes_in_use());
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  }};
};

}  // namespace makegood
