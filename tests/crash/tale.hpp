// A story that is lived, and how its books are checked once it has come to rest.
#pragma once

#include "tests/crash/audit.hpp"
#include "tests/crash/database.hpp"
#include "tests/crash/failpoints.hpp"
#include "tests/crash/saga_story.hpp"
#include "tests/crash/story.hpp"

namespace makegood::crash {

struct Tale {
  Ending (*live)(const Place& place, const Life& life);
  Violations (*audit)(const Place& place);
  Where Failpoint::* where;  ///< It comes by a point.
};

/// Messages, from orders to receipts: story.hpp.
inline constexpr Tale tale_of_messages{live, audit, &Failpoint::messages};
/// Money that sagas move between three banks: saga_story.hpp.
inline constexpr Tale tale_of_sagas{live_with_sagas, audit_sagas, &Failpoint::sagas};

}  // namespace makegood::crash
