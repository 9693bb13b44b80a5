// One line per thing that happens in the demo, in the order in which it does.
#pragma once

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <mutex>
#include <string_view>

namespace makegood::demo {

/// Thread-safe.
class DemoTeller {
 public:
  void tell(std::string_view who, std::string_view what) {
    const std::scoped_lock lock(mutex_);
    fmt::print("{:6.2f} s  {:<9} {}\n", passed().count(), who, what);
    std::fflush(stdout);
  }

  std::chrono::duration<double> passed() const { return std::chrono::steady_clock::now() - began_; }

 private:
  const std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  std::mutex mutex_;
};

}  // namespace makegood::demo
