// The accounts after a crash test, from what was written down outside of the store (chronicle.hpp) and from the
// business rows, which tell how a transaction of unknown outcome ended. Answers what was violated, in sentences;
// nothing is good.
#pragma once

#include "tests/crash/database.hpp"
#include "tests/crash/place.hpp"

namespace makegood::crash {

/// P11, right after a crash: the database opens and is whole. Its turns are written down, before the cleaner can remove
/// them.
Violations check_crashed(const Place& place);
/// P1 to P5, P11 and P12, when everything has come to rest.
Violations audit(const Place& place);

}  // namespace makegood::crash
