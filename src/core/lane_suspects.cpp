// After a crash: what was under way is sent again; what was under way at two deaths goes alone, so that a message that
// kills its owner is found, and its innocent neighbours are not taken for it.
#include <algorithm>

#include "core/lane.hpp"
#include "core/mutant.hpp"

namespace makegood::core {
namespace {

/// It was alone among the suspects when its owner died, but normal traffic went beside it, and a second killer may have
/// been there. From now on nothing goes beside it.
constexpr unsigned isolated_from = 3;
/// With so many it is dead: two owners died while nothing else was in flight.
constexpr unsigned deaths_max = 5;

}  // namespace

/// A graceful end is no death, and neither is losing the lane to oneself.
void Lane::count_deaths(const Taken& taken) {
  is_after_death_ = taken.is_after_death;
  taken_alone_ = taken.position.alone;
  for (const auto& [destination, deaths_of] : taken.position.suspects) {
    for (const auto& [number, deaths] : deaths_of) suspects_[{destinations_.at(destination), number}] = deaths;
  }
  if (!is_after_death_) return;
  const auto count = [&](DestinationIndex destination, Sequence number) {
    unsigned& deaths = suspects_[{destination, number}];
    if (is_to_blame(destination, number, deaths)) ++deaths;
  };
  for (const auto& [number, destinations] : unread_) {
    for (const std::string& destination : destinations) count(destinations_.at(destination), number);
  }
  for (const auto& side : sides_) {
    for (const Sequence number : side->unread) count(side->destination, number);
  }
}

/// Once they go alone, only the one that was alone can have done it.
bool Lane::is_to_blame(DestinationIndex destination, Sequence sequence, unsigned deaths) const {
  if (deaths < alone_from || is_mutant("blame_all_suspects")) return true;
  return taken_alone_ == Position::Alone{destinations_[destination].settings->name, sequence};
}

unsigned Lane::deaths_of(DestinationIndex destination, Sequence sequence) const {
  if (suspects_.empty()) return 0;
  const auto found = suspects_.find({destination, sequence});
  return found == suspects_.end() ? 0 : found->second;
}

bool Lane::is_poison(unsigned deaths) const { return deaths >= deaths_max && !is_mutant("poison_is_repeated"); }

bool Lane::goes_alone(const Carried& carried) const {
  return carried.deaths >= alone_from && !is_mutant("suspects_together");
}

/// From the turn that names it until the one that no longer does: a killer that is sent in between would be its blame.
bool Lane::is_isolating() const { return isolated_ && !is_mutant("second_killer_beside"); }

bool Lane::may_reach(const Carried& carried) const {
  const Message& message = *carried.message;
  const DestinationState& state = destinations_[carried.destination];
  const Scope scope{state.settings->name, std::string(message.tenant_id), std::string(message.dispatch_key)};
  return !sides_.is_paused(carried.destination, scope);  // Into an outage it goes as a probe.
}

bool Lane::has_suspect_to_send() const {
  if (alone_) return false;
  return std::ranges::any_of(waiting_alone_, [this](CarriedIndex index) { return may_reach(window_.at(index)); });
}

void Lane::queue_first(CarriedIndex index) {
  const Carried& carried = window_.at(index);
  DestinationState& state = destinations_[carried.destination];
  if (carried.is_parked || carried.side == nullptr) {
    // Retries come before all others; one that is no retry comes before them now, and they do not mind.
    state.ready.push_front(index);
    state.ready_parked += carried.is_parked ? 1U : 0U;
  } else {
    carried.side->ready.push_front(index);
  }
}

/// The position names it before it is sent.
void Lane::send_one_alone() {
  if (alone_) return;
  const auto next = std::ranges::find_if(waiting_alone_, [this](CarriedIndex i) { return may_reach(window_.at(i)); });
  if (next == waiting_alone_.end()) return;
  alone_ = *next;
  waiting_alone_.erase(next);
  Carried& carried = window_.at(*alone_);
  carried.covered_by = turn_ + 1;
  if (carried.deaths >= isolated_from) {
    isolated_ = {destinations_[carried.destination].settings->name, carried.message->sequence};
  }
  queue_first(*alone_);
  news_.push_back({.kind = LaneNews::Kind::suspect_alone,
                   .scope = {destinations_[carried.destination].settings->name},
                   .sequence = carried.message->sequence});
}

}  // namespace makegood::core
