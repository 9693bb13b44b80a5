// A drain to a handler that does nothing.
#pragma once

#include <cstddef>

#include "bench/scratch.hpp"

namespace makegood::bench {

struct Drained {
  double rate = 0;  ///< Messages per second, until the lane has been given up, so that the last turn is counted too.
  std::size_t lost = 0;      ///< Recorded as delivered, and the handler never had them.
  std::size_t repeated = 0;  ///< That the handler had before.
};

/// Until so many are recorded as delivered.
Drained drain_to_handler(const Scratch& scratch, std::size_t count);

}  // namespace makegood::bench
