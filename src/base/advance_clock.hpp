// The clock of a process that is only there to be tested against can be moved ahead.
#pragma once

#include "makegood/clock.hpp"

namespace makegood {

/// From now on `system_clock` is so much further, for everybody in this process. Who waits for the kernel does not wake
/// up by it. Only `makegood dev` does this. Thread-safe.
void advance_clock(Duration span);

}  // namespace makegood
