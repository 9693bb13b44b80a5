// How late it is for the kernel. Sockets, locks, condition variables and libcurl's timers wait by its clock and cannot
// be given another, so whoever waits there measures the wait with it. What is decided by time gets its clock as an
// argument; tools/tidy_rules/calls.py names those who wait.
#pragma once

#include "makegood/clock.hpp"

namespace makegood {

MonotonicTime real_now();

}  // namespace makegood
