// Who may own a lane: one rule for every store.
#pragma once

#include <optional>

#include "makegood/spi/store.hpp"

namespace makegood {

/// What the last turn says of its owner. A lane that was never taken has none.
struct Tenure {
  Owner owner = {};
  TimePoint at = {};
  TimePoint until = {};
};

/// Who wants the lane.
struct Claimant {
  Owner owner;
  Duration lease;
  Owner former = {};  ///< An id of its own, from which it takes at once.
};

/// The lane is free: never taken, given up, the claimant's own, or its lease is over. A lease that ends later than one
/// taken now would was written by a clock that has been set back since; waiting for its end could take years.
bool may_take(const Tenure& last, const Claimant& claimant, TimePoint now);

/// The last owner neither gave the lane up nor is the claimant itself.
bool is_after_death(const Tenure& last, const Claimant& claimant);

/// The store's time: never before the last turn, unless that is so far ahead that its clock must have been wrong.
TimePoint store_time(TimePoint now, TimePoint last_at);

}  // namespace makegood
