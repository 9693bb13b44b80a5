// What this process has used.
#pragma once

#include "makegood/clock.hpp"

namespace makegood::bench {

double cpu_milliseconds();
/// The most memory that it ever had.
double peak_megabytes();
double thread_count();
double seconds_since(MonotonicTime began);

}  // namespace makegood::bench
