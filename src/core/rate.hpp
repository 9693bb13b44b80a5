// A destination's limit of sends per second: a bucket of tokens that holds a tenth of a second's worth.
#pragma once

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
  bool is_limited() const { return per_second_ > 0; }
  double size() const;
  void refill(MonotonicTime now);

  double per_second_ = 0;
  double tokens_ = 1;
  MonotonicTime filled_at_ = {};
};

}  // namespace makegood::core
