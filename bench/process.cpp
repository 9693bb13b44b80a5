#include "bench/process.hpp"

#include <sys/resource.h>

#include <fstream>
#include <string>
#include <string_view>

namespace makegood::bench {
namespace {

double status(std::string_view wanted) {
  std::ifstream lines("/proc/self/status");
  for (std::string word; lines >> word;) {
    double value = 0;
    if (word == wanted && lines >> value) return value;
  }
  return 0;
}

}  // namespace

double cpu_milliseconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto of = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_usec) / 1e3;
  };
  return of(usage.ru_utime) + of(usage.ru_stime);
}

double peak_megabytes() { return status("VmHWM:") / 1024; }
double thread_count() { return status("Threads:"); }

double seconds_since(MonotonicTime began) {
  return std::chrono::duration<double>(system_clock().monotonic() - began).count();
}

}  // namespace makegood::bench
