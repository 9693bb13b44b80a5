// Messages that are not to be sent, and that some lane has still to read: marked in the position until all lanes are
// past them, for one destination or for all.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "makegood/spi/position.hpp"

namespace makegood::core {

class Cancelled {
 public:
  using Marks = std::map<std::string, NumberSet, std::less<>>;
  explicit Cancelled(Marks marks = {}) : marks_(std::move(marks)) {}

  const Marks& marks() const { return marks_; }
  /// Each turn tells them all.
  bool is_full() const;
  void mark(Sequence number, std::string_view destination);
  bool is_marked(Sequence number, std::string_view destination) const;
  /// Whoever reads it leaves it out.
  bool leaves_out(Sequence number, std::string_view destination) const;
  /// All lanes are past what this position has settled.
  void forget_settled(const Position& position);

 private:
  bool has(Sequence number, std::string_view destination) const;

  Marks marks_;
};

}  // namespace makegood::core
