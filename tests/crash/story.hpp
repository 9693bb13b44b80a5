// One life of a process: the tables are made, orders are placed and delivered, an operator replays what was dead, the
// cleaner cleans, and the lane is given up. Whoever lives after a crash lives the same story, on the same files.
#pragma once

#include "tests/crash/place.hpp"

namespace makegood::crash {

struct Life {
  int number = 1;        ///< Each begins an hour later than the one before.
  bool is_last = false;  ///< Everything must come to rest: what is dead is replayed until nothing is.
};

/// How a life ended that nothing cut short.
enum class Ending : int {
  at_rest = 0,    ///< Nothing is pending.
  left_over = 3,  ///< Something is, or the store could not be used at all.
};

Ending live(const Place& place, const Life& life);

}  // namespace makegood::crash
