// P3, from what the watched store wrote down: each number of a turn is used once, an owner that was followed never
// comes back, an error that promises that nothing was written keeps its word, and what a committed turn says has ended
// is not sent again, unless an operator asked for it.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "makegood/spi/store.hpp"
#include "tests/crash/chronicle.hpp"

namespace makegood::crash {

class Turns {
 public:
  /// In the order of events.
  void read(const Line& line);
  /// Number and owner of each turn that the store still has, by number.
  void compare(const std::vector<Line>& rows);
  const std::vector<std::string>& violations() const { return violations_; }

 private:
  using Delivery = std::pair<std::string, Sequence>;
  struct Intent {
    Owner owner;
    TurnNumber turn = 0;
    Position position;
    std::map<Delivery, ParkedState> parked;
  };

  static Intent intent_of(const Line& line);
  void said(TurnNumber turn, const Owner& owner);
  void committed(const Line& line);
  void failed(const Line& line);
  void sent(const Line& line);
  bool is_uncertain(const Delivery& delivery) const;
  bool has_ended(const Delivery& delivery) const;

  std::map<TurnNumber, Owner> owners_;             ///< Of turns that were acknowledged.
  std::map<Owner, Intent> intents_;                ///< Begun, and not known how they ended.
  std::set<std::pair<TurnNumber, Owner>> denied_;  ///< Certainly not written.
  Position position_;                              ///< Of the last turn that was acknowledged.
  std::map<Delivery, ParkedState> parked_;
  std::set<Delivery> uncertain_;  ///< Touched by a turn whose outcome will never be known, or replayed.
  std::map<std::string, Delivery> sequence_of_;
  std::vector<Line> seen_;  ///< As in compare.
  std::vector<std::string> violations_;
};

}  // namespace makegood::crash
