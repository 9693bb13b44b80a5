// Who is not let in is logged; but strangers may knock as often as they like, and must not fill the disk with it.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "makegood/clock.hpp"

namespace makegood::daemon {

/// Used by one thread.
class RefusalLines {
 public:
  /// Nothing: no line now. Otherwise how many went without one since the last.
  std::optional<std::uint64_t> take(MonotonicTime now) {
    if (now - second_ >= std::chrono::seconds(1)) {
      second_ = now;
      lines_ = 0;
    }
    if (++lines_ > lines_per_second_max) {
      ++left_out_;
      return std::nullopt;
    }
    return std::exchange(left_out_, 0);
  }

 private:
  static constexpr std::uint64_t lines_per_second_max = 5;
  MonotonicTime second_ = {};
  std::uint64_t lines_ = 0;
  std::uint64_t left_out_ = 0;
};

}  // namespace makegood::daemon
