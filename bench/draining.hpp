// A drain to a handler that does nothing.
#pragma once

#include <cstddef>

#include "bench/scratch.hpp"

namespace makegood::bench {

/// Messages per second, until all are delivered and the lane has been given up, so that the last turn is counted too.
double drain_to_handler(const Scratch& scratch, std::size_t count);

}  // namespace makegood::bench
