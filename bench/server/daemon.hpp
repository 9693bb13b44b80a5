// `makegood serve` as a process to be measured.
#pragma once

#include <string>
#include <vector>

#include "bench/http/child.hpp"
#include "bench/scratch.hpp"

namespace makegood::bench {

class Daemon {
 public:
  explicit Daemon(const Scratch& scratch, const std::vector<std::string>& flags = {});

  const std::string& url() const { return url_; }
  double start_seconds() const { return start_seconds_; }
  /// SIGTERM, and how long it took until the process had gone.
  double stop_seconds();
  double resident_megabytes() const;
  double cpu_milliseconds() const;

 private:
  Child child_;
  std::string url_;
  double start_seconds_ = 0;
};

}  // namespace makegood::bench
