// A destination's limit of sends per second: a bucket of tokens that holds a tenth of a second's worth, so that they
// are spread; and what was sent in the last second, so that no second has more than it says. The bucket alone would let
// a tenth more pass in the second after a pause.
#pragma once

#include <cstddef>
#include <deque>

#include "makegood/clock.hpp"

namespace makegood::core {

class Rate {
 public:
  /// Sends per second; 0 or less = no limit. What is in the bucket stays, up to its new size.
  void limit_to(double per_second);
  /// Takes a token if there is one.
  bool take(MonotonicTime now);
  /// When the next token will be there; `now` if there is one.
  MonotonicTime next(MonotonicTime now);

 private:
  /// Sends that lie within a millisecond: they are forgotten together.
  struct Sends {
    MonotonicTime first;
    MonotonicTime last;
    std::size_t count;
  };
  bool is_limited() const { return per_second_ > 0; }
  double size() const;
  std::size_t second_max() const;
  void refill(MonotonicTime now);
  void note(MonotonicTime now);

  double per_second_ = 0;
  double tokens_ = 1;
  MonotonicTime filled_at_ = {};
  std::deque<Sends> lately_;  ///< Of the last second.
  std::size_t lately_count_ = 0;
};

}  // namespace makegood::core
