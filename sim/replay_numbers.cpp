#include "sim/replay_numbers.hpp"

namespace makegood::sim {

ReplayNumbers::Way ReplayNumbers::way_of(const Delivery& delivery) {
  return {delivery.destination->name, std::string(delivery.message->event_id)};
}

std::string ReplayNumbers::sent(const Delivery& delivery) {
  const Way way = way_of(delivery);
  const bool is_new = sent_.insert(way).second;
  if (delivery.is_first && !is_new) return "it says that it was never sent before, and it was";
  if (ended_.contains({way, delivery.replay})) {
    return "it goes once more under number " + std::to_string(delivery.replay) + ", under which it has ended";
  }
  return {};
}

void ReplayNumbers::acknowledged(const Owner& owner, const Delivery& delivery) {
  acknowledged_[{owner, way_of(delivery)}] = delivery.replay;
}

void ReplayNumbers::recorded(const Owner& owner, const std::string& destination, const std::string& event_id) {
  const Way way{destination, event_id};
  if (const auto known = acknowledged_.extract({owner, way})) ended_.emplace(way, known.mapped());
}

void ReplayNumbers::died(const Parked& row) { ended_.insert({{row.destination, row.event_id}, row.replay}); }

void ReplayNumbers::forget() {
  acknowledged_.clear();
  ended_.clear();
}

}  // namespace makegood::sim
