// Time, and a database that forgets.
#include <algorithm>
#include <utility>

#include "sim/world.hpp"

namespace makegood::sim {

using namespace std::chrono_literals;

namespace {

/// Apart from the chance of the others, which stay what they are for each seed.
constexpr std::uint64_t hours_seed = 0x4045'0000;

}  // namespace

void World::pass_time(Chance& chance) {
  clock_.elapsed += std::chrono::microseconds(chance.below(faults_.has(Fault::hangs) ? 160'000U : 20'000U));
  if (faults_.has(Fault::jumps) && chance.one_in(500)) {
    has_other_deaths_ = true;
    clock_.has_jumped = true;
    clock_.shift += std::chrono::milliseconds(chance.below(60'000)) - 30s;
  }
  // By an hour, as an administrator would; but not where messages are for later, which wait for their time.
  const bool may_be_set = faults_.has(Fault::jumps) && !faults_.has(Fault::delays);
  if (Chance hours(plan_.seed, summary_.steps + hours_seed); may_be_set && hours.one_in(200)) {
    has_other_deaths_ = true;
    clock_.has_jumped = true;
    clock_.shift += hours.one_in(3) ? 1h : -1h;
    summary_.sites.hit(Site::clock_set);
  }
  trace(7, static_cast<std::uint64_t>(clock_.elapsed.count()));
}

/// A crash of a database that did not wait for its disk, or a failover to a replica that lagged behind: the owners live
/// on, and remember more than it does.
void World::shake_the_database(Chance& chance) {
  if (faults_.has(Fault::tampering) && chance.one_in(4)) return tamper(chance);
  if (!faults_.has(Fault::forgets)) return;
  if (backup_ && chance.one_in(2)) return forget();
  if (chance.one_in(2)) backup_ = database_->snapshot();
}

/// Its row without a destination says so, or was cleaned, which only happens to what is settled.
bool World::is_still_routed_again(const std::string& event_id, const Position& position) const {
  const auto written = std::ranges::find(log_, event_id, [](const auto& entry) { return entry.second.event_id; });
  if (written == log_.end()) return false;
  const auto row = states_.find({std::string(unrouted), written->first});
  return row != states_.end() ? row->second == ParkedState::done : written->first <= settled(position);
}

void World::read_parked(const memory::State& state) {
  states_.clear();
  counted_.clear();
  for (const auto& [place, row] : state.parked) {
    if (is_of_before(row.parked)) continue;
    states_[{place.destination, place.sequence}] = row.parked.state;
    counted_[{place.destination, place.sequence}] = row.parked.answered;
  }
}

void World::forget() {
  database_->restore(*std::exchange(backup_, std::nullopt));
  summary_.sites.hit(Site::database_forgot);
  has_other_deaths_ = true;
  has_forgotten_ = true;
  replay_numbers_.forget();
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
  read_parked(state);
  std::erase_if(routed_again_, [&](const auto& again) { return !is_still_routed_again(again.first, state.position); });
  std::erase_if(cancelled_, [this](Sequence sequence) { return !states_.contains({std::string(unrouted), sequence}); });
  answered_.clear();
  for (const auto& [id, request] : state.requests) {
    if (request.answer) answered_.insert(id);
  }
  const std::int64_t newest = state.routings.empty() ? 0 : state.routings.rbegin()->first;
  std::erase_if(routings_, [newest](const Routing& routing) { return routing.version > newest; });
  trace(9, static_cast<std::uint64_t>(last_turn));
}

}  // namespace makegood::sim
