// Whether the next look should go to the server together with the turn, so that it reads while the lane decides and
// sends.
#pragma once

#include <algorithm>

namespace makegood::postgres {

/// It pays while looks follow turns at once, and ask for what was guessed. Otherwise the server reads for nothing.
class ReadAhead {
 public:
  bool is_worth_it() const { return turns_ >= turns_needed_; }
  void took_turn() { ++turns_; }
  /// There was time to ask for changes: looks do not follow at once.
  void was_interrupted() { turns_ = 0; }
  void was_used() { turns_needed_ = turns_min; }
  /// Left for a while then, and longer each time.
  void was_wasted() {
    turns_ = 0;
    turns_needed_ = std::min(turns_needed_ * 2, turns_max);
  }

 private:
  static constexpr unsigned turns_min = 2;
  static constexpr unsigned turns_max = 64;
  unsigned turns_ = 0;  ///< In a row.
  unsigned turns_needed_ = turns_min;
};

}  // namespace makegood::postgres
