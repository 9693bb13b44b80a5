// What this process has used, and what was left.
#pragma once

#include "makegood/clock.hpp"

namespace makegood::bench {

double cpu_milliseconds();
/// The most memory that it ever had, or since the peak was forgotten.
double peak_megabytes();
void forget_peak();
double thread_count();
double seconds_since(MonotonicTime began);

/// What nobody wanted of the machine's CPUs, whoever used the rest.
class IdleCpu {
 public:
  /// Since its construction, as a share of all of them.
  double share() const;

 private:
  struct Ticks {
    double idle = 0;
    double all = 0;
  };
  static Ticks ticks();

  Ticks began_ = ticks();
};

}  // namespace makegood::bench
