#include "bench/process.hpp"

#include <malloc.h>
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

void forget_peak() {
  malloc_trim(0);
  std::ofstream("/proc/self/clear_refs") << "5";
}

double thread_count() { return status("Threads:"); }

IdleCpu::Ticks IdleCpu::ticks() {
  // user nice system idle iowait irq softirq steal; guests are part of user and nice.
  constexpr int kinds = 8;
  std::ifstream line("/proc/stat");
  std::string name;
  line >> name;
  Ticks sum;
  for (int kind = 0; kind < kinds; ++kind) {
    double value = 0;
    line >> value;
    sum.all += value;
    if (kind == 3 || kind == 4) sum.idle += value;
  }
  return sum;
}

double IdleCpu::share() const {
  const Ticks now = ticks();
  return now.all > began_.all ? (now.idle - began_.idle) / (now.all - began_.all) : 0;
}

double seconds_since(MonotonicTime began) {
  return std::chrono::duration<double>(system_clock().monotonic() - began).count();
}

}  // namespace makegood::bench
