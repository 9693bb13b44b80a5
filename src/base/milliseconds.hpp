// Durations as people, logs and metrics have them.
#pragma once

#include <chrono>

#include "makegood/clock.hpp"

namespace makegood {

inline double in_milliseconds(Duration duration) { return std::chrono::duration<double, std::milli>(duration).count(); }

}  // namespace makegood
