// Under which numbers deliveries go. A broker that drops repeats knows a message by its event and the number of its
// replay: what has ended under a number must never be sent under it again, or it would count as delivered and be stored
// nowhere. And what says that nothing of it was sent before is taken at its word.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "makegood/delivery.hpp"
#include "makegood/spi/store.hpp"

namespace makegood::sim {

class ReplayNumbers {
 public:
  /// By whoever owns the lane. Answers what is wrong with it; empty: nothing.
  std::string sent(const Delivery& delivery);
  void acknowledged(const Owner& owner, const Delivery& delivery);
  /// A committed turn says that what its owner knows as delivered is so.
  void recorded(const Owner& owner, const std::string& destination, const std::string& event_id);
  /// A committed turn says so.
  void died(const Parked& row);
  /// The store has forgotten, or was told to forget, what has ended.
  void forget();

 private:
  using Way = std::pair<std::string, std::string>;  ///< Destination and event.
  static Way way_of(const Delivery& delivery);

  std::set<Way> sent_;
  std::map<std::pair<Owner, Way>, std::int64_t> acknowledged_;
  std::set<std::pair<Way, std::int64_t>> ended_;
};

}  // namespace makegood::sim
