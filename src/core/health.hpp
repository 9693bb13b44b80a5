// How a destination has fared: since when it fails, and whether anybody is there at all. Each caller keeps what it has
// heard in the time of its own store, because it is stored there and the next owner goes on from it.
#pragma once

#include <optional>

#include "makegood/delivery.hpp"
#include "makegood/spi/position.hpp"

namespace makegood::core {

class Health {
 public:
  void succeeded();
  /// It failed; `is_answer`: it said something, though.
  void failed(bool is_answer, const RetryPolicy& policy, TimePoint store_now);
  /// Somebody is there, whatever they said.
  void was_answered();
  /// Since its last success.
  const std::optional<Failing>& failing() const { return failing_; }
  void keep(const Failing& failing) { failing_ = failing; }
  /// It has all its time again.
  void forgive() { failing_.reset(); }
  /// It has answered nothing for so long that nobody is there any more.
  bool is_hopeless(const RetryPolicy& policy, TimePoint store_now) const;

 private:
  std::optional<Failing> failing_;
};

}  // namespace makegood::core
