// Time, and a database that forgets.
#include <algorithm>
#include <utility>

#include "sim/world.hpp"

namespace makegood::sim {

using namespace std::chrono_literals;

void World::pass_time(Chance& chance) {
  clock_.elapsed += std::chrono::microseconds(chance.below(20'000));
  if (faults_.has(Fault::jumps) && chance.one_in(500)) {
    has_other_deaths_ = true;
    clock_.shift += std::chrono::milliseconds(chance.below(60'000)) - 30s;
  }
  trace(7, static_cast<std::uint64_t>(clock_.elapsed.count()));
}

/// A crash of a database that did not wait for its disk, or a failover to a replica that lagged behind: the owners live
/// on, and remember more than it does.
void World::shake_the_database(Chance& chance) {
  if (!faults_.has(Fault::forgets)) return;
  if (backup_ && chance.one_in(2)) return forget();
  if (chance.one_in(2)) backup_ = database_->snapshot();
}

void World::forget() {
  database_->restore(*std::exchange(backup_, std::nullopt));
  summary_.sites.hit(Site::database_forgot);
  has_other_deaths_ = true;
  for (const auto& node : nodes_) node->disconnect();
  auto access = database_->access();
  const memory::State& state = access.state();
  const auto is_parked = [&](Sequence sequence) {
    return std::ranges::any_of(places_, [&](const Place& place) { return states_.contains({place.name, sequence}); });
  };
  for (auto written = log_.begin(); written != log_.end();) {
    const bool is_kept = state.events.contains({"default", written->second.event_id}) ||
                         state.events.contains({"t1", written->second.event_id}) ||
                         written->first <= settled(state.position);
    if (!is_kept) {
      tell(written->first, "forgotten by the database");
      checker_.lost(written->second.event_id);
    } else if (written->first > settled(state.position) || is_parked(written->first)) {
      checker_.forgotten(written->second.event_id);
    }
    written = is_kept ? std::next(written) : log_.erase(written);
  }
  position_ = state.position;
  last_owner_.clear();  // Whoever it was remembers turns that nobody else does.
  const TurnNumber last_turn = state.turns.empty() ? 0 : state.turns.rbegin()->first;
  checker_.forget_turns_above(last_turn);
  states_.clear();
  for (const auto& [place, row] : state.parked) states_[{place.destination, place.sequence}] = row.parked.state;
  answered_.clear();
  for (const auto& [id, request] : state.requests) {
    if (request.answer) answered_.insert(id);
  }
  const std::int64_t newest = state.routings.empty() ? 0 : state.routings.rbegin()->first;
  std::erase_if(routings_, [newest](const Routing& routing) { return routing.version > newest; });
  trace(9, static_cast<std::uint64_t>(last_turn));
}

}  // namespace makegood::sim
