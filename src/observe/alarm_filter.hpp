// Lets an alarm through once in a while; what repeats in between is counted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "makegood/clock.hpp"

namespace makegood::observe {

/// Not thread-safe.
class AlarmFilter {
 public:
  static constexpr Duration quiet_time = std::chrono::seconds(10);
  static constexpr std::size_t alarms_max = 256;

  /// How often this alarm was held back since it was last let through; empty when it is held back now.
  std::optional<std::uint64_t> pass(const std::string& alarm, MonotonicTime now);

 private:
  struct Seen {
    MonotonicTime passed_at;
    std::uint64_t held_back_count = 0;
  };
  std::map<std::string, Seen> seen_;
};

}  // namespace makegood::observe
