// Whose something is, and for how long: a lane today. One owner at a time, fenced by its last turn, for as long as its
// lease lasts.
#pragma once

#include <algorithm>
#include <chrono>
#include <string_view>

#include "makegood/spi/store.hpp"

namespace makegood::core {

struct Ownership {
  Owner owner = {};
  std::string_view incarnation = {};  ///< Of the database, as the taking found it.
  TurnNumber turn = 0;                ///< The last one: the next must follow it.
  Duration lease = {};
  MonotonicTime lease_until = {};
  MonotonicTime renewed_at = {};
  TimePoint store_now = {};         ///< The store's clock, as the last look saw it,
  MonotonicTime store_now_at = {};  ///< and when that was.

  /// A turn that was asked for at this time, before the store saw it, has renewed the lease.
  void renewed(MonotonicTime asked_at, Duration for_so_long) {
    lease_until = asked_at + for_so_long;
    renewed_at = asked_at;
  }
  /// Another may be the owner: nothing goes until a turn, which is due now, has shown that it is still us.
  void doubt(MonotonicTime now) {
    lease_until = std::min(lease_until, now);
    renewed_at = std::min(renewed_at, now - lease);
  }
  void follow_clock(TimePoint store_time, MonotonicTime now) {
    store_now = store_time;
    store_now_at = now;
  }

  MonotonicTime renewal_at() const { return renewed_at + lease / 3; }
  /// Nothing is handed to a transport after this, and nothing of it may leave.
  MonotonicTime send_until() const { return lease_until - std::min<Duration>(std::chrono::seconds(1), lease / 5); }
  /// The store's clock, as this owner reckons it.
  TimePoint store_time(MonotonicTime now) const { return store_now + (now - store_now_at); }
};

}  // namespace makegood::core
