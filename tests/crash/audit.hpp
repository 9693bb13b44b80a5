// The accounts after a crash test, from what was written down outside of the store (chronicle.hpp) and from the
// business rows, which tell how a transaction of unknown outcome ended. Answers what was violated, in sentences;
// nothing is good.
#pragma once

#include <string>
#include <vector>

#include "tests/crash/place.hpp"

namespace makegood::crash {

using Violations = std::vector<std::string>;

/// P11, right after a crash: the file opens and is whole. Looks at a copy, so that the next process meets what the
/// crash has left.
Violations check_file(const Place& place);
/// P1 to P5, P11 and P12, when everything has come to rest.
Violations audit(const Place& place);

}  // namespace makegood::crash
