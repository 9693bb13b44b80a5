#include "core/lane.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

#include "core/mutant.hpp"
#include "makegood/assert.hpp"

namespace makegood::core {
namespace {

using namespace std::chrono_literals;

/// A success may wait this long for a turn that carries it along; nobody waits for it, and a turn costs a sync.
constexpr Duration record_within = 10ms;
/// No send starts when less than this is left of the lease.
constexpr Duration lease_margin = 1s;
/// So many owners in a row took the lane and said no more: perhaps one of the next rows is more than they could bear.
constexpr std::size_t fruitless_takings_max = 3;

/// Only how far everybody has looked differs: that can wait for the next turn, nobody depends on it.
bool differs_in_reach_only(const Position& one, const Position& other) {
  const auto is_alike = [](const SideLane& a, const SideLane& b) {
    SideLane moved = b;
    moved.reached = a.reached;
    return a == moved;
  };
  return one.under_way == other.under_way && one.suspects == other.suspects && one.alone == other.alone &&
         std::ranges::equal(one.sides, other.sides, is_alike);
}

}  // namespace

Lane::Lane(const DispatcherOptions& options, std::uint64_t seed, std::vector<std::string> running_ahead)
    : outbox_(options.outbox),
      lease_(options.lease),
      is_registry_in_store_(options.is_registry_in_store),
      random_state_(seed),
      destinations_(std::move(running_ahead)) {
  configure(options);
}

void Lane::configure(const DispatcherOptions& options) {
  const bool has_registry = !options.destinations.empty() || !options.routes.empty();
  MAKEGOOD_ASSERT(!is_registry_in_store_ || !has_registry);
  options_ = options;
  leads_as_wanted_ = false;
  destinations_.configure(options.destinations);
}

void Lane::begin(const Owner& owner, Taken taken, MonotonicTime asked_at) {
  forget();
  owner_ = owner;
  turn_ = taken.turn;
  reached_ = taken.position.reached;
  open_ = taken.position.open;
  routings_.load(std::move(taken.routings));
  if (is_registry_in_store_) register_newest();
  load_holes(taken.position, asked_at);
  count_deaths(taken);
  if (!is_mutant("forget_blocked_keys")) load_blockers(taken.blocking);
  load_figures(taken);
  incarnation_ = *incarnations_.insert(std::move(taken.incarnation)).first;
  careful_rows_ = taken.fruitless_takings >= fruitless_takings_max ? options_.limits.batch_rows_max : 0;
  committed_position_ = std::move(taken.position);
  store_now_ = taken.now;
  store_now_at_ = asked_at;
  lease_until_ = asked_at + lease_;
  renewed_at_ = asked_at;
  clean_at_ = asked_at + options_.clean_interval;
  is_more_ = true;
}

/// Of all destinations, registered or not: when one is registered, nothing has to be read anew.
void Lane::load_figures(const Taken& taken) {
  for (const NextDue& next : taken.next_due) destinations_[destinations_.at(next.destination)].next_due = next.due_at;
  for (const ParkedCount& parked : taken.parked_counts) {
    destinations_[destinations_.at(parked.destination)].parked_count = parked.count;
  }
  for (const auto& [destination, failing] : taken.position.failing) {
    destinations_[destinations_.at(destination)].failing = failing;
  }
  removed_.clear();
  for (DestinationIndex index = 0; index < destinations_.count(); ++index) {
    if (is_removed(index)) removed_.push_back(index);
  }
}

void Lane::load_holes(const Position& position, MonotonicTime now) {
  for (const auto& [destination, numbers] : position.under_way) {
    for (const Sequence number : numbers) unread_[number].push_back(destination);
  }
  for (const SideLane& lane : position.sides) {
    Side& side = sides_.add(lane, destinations_.at(lane.scope.destination));
    side.unread.insert(lane.under_way.begin(), lane.under_way.end());
    DestinationState& state = destinations_[side.destination];
    if (!state.is_registered && !is_registry_in_store_) {
      alarms_.push_back({Errc::no_route, "A side lane waits for " + lane.scope.destination +
                                             ", which is not registered: register it, or nothing of it is delivered."});
    } else if (state.is_registered && lane.why == SideLane::Why::broken) {
      state.circuit.open_at_once(state.settings->circuit, now);
    }
  }
}

void Lane::load_blockers(const std::vector<Parked>& blocking) {
  for (const Parked& row : blocking) {
    const DestinationIndex destination = destinations_.at(row.destination);
    if (row.dispatch_key.empty()) continue;
    if (is_mutant("unregistered_not_loaded") && !destinations_[destination].is_registered) continue;
    keys_.at(row.tenant_id, row.dispatch_key, destination).blockers[row.sequence] = {row.state, row.attempts};
  }
  for (const Parked& row : blocking) {
    Key* key = keys_.find(row.tenant_id, row.dispatch_key, destinations_.at(row.destination));
    // It was held behind a delivery under way, which may have ended unseen: nobody else will call it up.
    if (key != nullptr && next_held(*key, window_) == row.sequence) freed_.push_back(key);
  }
}

void Lane::forget() {
  owner_.clear();
  open_ = {};
  unread_.clear();
  window_.clear();
  keys_.clear();
  sides_.clear();
  asked_sides_.clear();
  in_side_hands_ = 0;
  routings_.clear();
  leads_as_wanted_ = false;
  new_routing_.reset();
  change_.reset();
  removed_.clear();
  destinations_.clear();
  answers_.clear();
  freed_.clear();
  overheld_.clear();
  gone_.clear();
  asked_due_.clear();
  suspects_.clear();
  waiting_alone_.clear();
  alone_.reset();
  isolated_.reset();
  taken_alone_.reset();
  in_flight_count_ = 0;
  unrecorded_since_.reset();
  full_since_.reset();
  is_giving_up_ = false;
  has_look_failed_ = false;
  draft_.reset();
  fresh_.clear();
}

void Lane::look_failed() {
  if (!is_owner()) return;
  MAKEGOOD_ASSERT(!draft_);
  reached_ = committed_position_.reached;
  open_ = committed_position_.open;
  change_.reset();  // Its request may be forgotten, too.
  has_look_failed_ = true;
  for (const auto& side : sides_) {
    const auto was = std::ranges::find_if(committed_position_.sides, [&](const SideLane& lane) {
      return lane.scope == side->lane.scope && (lane.why == SideLane::Why::history) == side->is_history();
    });
    if (was != committed_position_.sides.end()) side->lane.reached = was->reached;
  }
}

const Turn* Lane::decide(Found found, MonotonicTime now) {
  MAKEGOOD_ASSERT(is_owner() && !draft_);
  store_now_ = found.now;
  store_now_at_ = now;
  looked_at_ = now;
  counter_ = found.counter;
  unrecorded_since_.reset();
  is_turn_needed_ = false;
  draft_.emplace(Turn{.owner = owner_, .after = turn_, .lease = lease_});

  const bool is_counter_behind = found.counter < reached_;
  if (is_counter_behind) {  // Such a look has nothing but requests to tell.
    has_asked_rows_ = false;
    asked_sides_.clear();
  } else {
    expect_due(found.next_due);
    adopt_routing();
    close_sides();
  }
  record_answers();
  wind_up_removed();
  carry_out(found.requests);
  promote_freed();
  take_in_due(std::move(found.due));
  for (std::size_t index = 0; index < asked_sides_.size(); ++index) {
    const AskedSide& asked = asked_sides_[index];
    if (asked.side != nullptr) read_side(*asked.side, asked.numbers, found.sides[index]);
  }
  is_more_ = found.is_more || is_disturbed_ || (!has_asked_rows_ && found.counter > reached_);
  read(found);
  open_crowded(now);
  send_one_alone();

  draft_->position = position();
  if (options_.is_cleaner_enabled && now >= clean_at_ && !is_stopping_) {
    draft_->clean = options_.clean;
    draft_->oldest_routing = oldest_routing();
  }
  if (is_giving_up_ || (is_stopping_ && in_flight_count_ == 0)) {
    is_giving_up_ = true;
    draft_->lease = {};
  }
  if (!is_turn_due(now)) draft_.reset();
  return draft_ ? &*draft_ : nullptr;
}

bool Lane::is_turn_due(MonotonicTime now) const {
  const bool has_something_to_say = !differs_in_reach_only(draft_->position, committed_position_) ||
                                    !draft_->parked.empty() || !draft_->answers.empty() || !draft_->messages.empty() ||
                                    draft_->routing || draft_->clean || is_turn_needed_ || is_giving_up_;
  return has_something_to_say || now >= renewed_at_ + lease_ / 3;
}

void Lane::committed(const Committed& committed, MonotonicTime now) {
  MAKEGOOD_ASSERT(draft_ && committed.turn > turn_);
  turn_ = committed.turn;
  committed_position_ = std::move(draft_->position);
  lease_until_ = asked_at_ + draft_->lease;
  renewed_at_ = asked_at_;
  if (draft_->clean) {
    const bool is_more_to_clean = committed.cleaned >= draft_->clean->rows_max;
    clean_at_ = is_more_to_clean ? now : now + options_.clean_interval;
  }
  if (enqueued_.empty()) std::swap(enqueued_, fresh_);  // The rule: they were taken after the last exchange.
  std::ranges::move(fresh_, std::back_inserter(enqueued_));
  fresh_.clear();
  if (!draft_->messages.empty()) is_more_ = true;  // No store tells us of our own rows.
  has_look_failed_ = false;
  draft_.reset();
  for (const auto& side : sides_) side->is_resuming = false;
  if (isolated_ != committed_position_.alone) isolated_.reset();
  if (is_giving_up_) forget();
}

Position Lane::position() {
  Position position{.reached = reached_, .open = open_};
  std::vector<std::vector<Sequence>> holes(destinations_.count());
  for (const auto& side : sides_) side->lane.under_way.assign(side->unread.begin(), side->unread.end());
  window_.each_hole([&](Sequence sequence, const Carried& carried) {
    if (is_mutant("read_not_covered") && !carried.is_in_flight) return;
    if (is_mutant("side_forgets_flight") && carried.side != nullptr && carried.is_in_flight) return;
    auto& numbers = carried.side != nullptr ? carried.side->lane.under_way : holes[carried.destination];
    numbers.push_back(sequence);
  });
  for (DestinationIndex index = 0; index < holes.size(); ++index) {
    if (holes[index].empty()) continue;
    position.under_way.emplace(destinations_[index].settings->name, std::move(holes[index]));
  }
  for (const auto& [number, destinations] : unread_) {
    for (const std::string& destination : destinations) {
      auto& numbers = position.under_way[destination];
      numbers.insert(std::ranges::upper_bound(numbers, number), number);
    }
  }
  for (const auto& side : sides_) {
    std::ranges::sort(side->lane.under_way);
    position.sides.push_back(side->lane);
  }
  for (const auto& [place, deaths] : suspects_) {
    position.suspects[destinations_[place.first].settings->name][place.second] = deaths;
  }
  if (alone_) {
    const Carried& carried = window_.at(*alone_);
    position.alone = {destinations_[carried.destination].settings->name, carried.message->sequence};
  }
  for (DestinationIndex index = 0; index < destinations_.count(); ++index) {
    const DestinationState& state = destinations_[index];
    if (state.failing) position.failing.emplace(state.settings->name, *state.failing);
  }
  return position;
}

/// It is in hand no more; whether it has ended or goes back, others have decided.
void Lane::drop(CarriedIndex index) {
  const Carried& carried = window_.at(index);
  if (carried.side != nullptr) {
    --carried.side->in_hand;
    --in_side_hands_;
  }
  if (alone_ == index) alone_.reset();
  window_.remove(index);
}

void Lane::end(CarriedIndex index) {
  const Carried& carried = window_.at(index);
  if (!carried.is_parked && carried.deaths > 0) suspects_.erase({carried.destination, carried.message->sequence});
  drop(index);
}

bool Lane::may_send(MonotonicTime now) const {
  const bool is_version_open = is_registry_in_store_ && draft_ && draft_->routing;
  if (is_version_open && !is_mutant("sent_by_an_open_version")) return false;  // Its settings may never have been.
  if (is_mutant("send_after_lease")) return is_owner() && !is_stopping_;
  return is_owner() && !is_stopping_ && now < lease_until_ - std::min<Duration>(lease_margin, lease_ / 5);
}

/// With nothing to send, which is the rule, nobody has to look for it at 1,000 destinations.
bool Lane::is_all_sent() const {
  const std::size_t sent = in_flight_count_ + answers_.size();
  MAKEGOOD_ASSERT(sent <= window_.count());
  return sent == window_.count();
}

MonotonicTime Lane::next_exchange(MonotonicTime now) const {
  if (!answers_.empty() || !freed_.empty() || change_) return now;
  if (is_stopping_ && in_flight_count_ == 0) return now;
  const bool is_worth_reading = is_more_ && room() * 4 >= options_.limits.window_rows_max;
  if (is_worth_reading || has_suspect_to_send()) return now;
  MonotonicTime next = std::min(renewed_at_ + lease_ / 3, looked_at_ + options_.safety_interval);
  if (unrecorded_since_) next = std::min(next, *unrecorded_since_ + record_within);
  if (options_.is_cleaner_enabled && !is_stopping_) next = std::min(next, clean_at_);
  if (full_since_ && is_more_)
    next = std::min(next, std::max(*full_since_ + options_.limits.crowded_after, looked_at_ + record_within));
  for (DestinationIndex index = 0; index < destinations_.count(); ++index)
    next = std::min(next, next_due_exchange(index));
  for (const auto& side : sides_) next = std::min(next, next_side_exchange(*side, now));
  return std::max(next, now);
}

MonotonicTime Lane::next_due_exchange(DestinationIndex index) const {
  const DestinationState& state = destinations_[index];
  if (!state.next_due || room() == 0) return MonotonicTime::max();
  const MonotonicTime due = store_now_at_ + (*state.next_due - store_now_);
  const MonotonicTime at = state.circuit.is_open() ? std::max(due, state.circuit.probe_at()) : due;
  return at == MonotonicTime::max() || due_places(index, at) == 0 ? MonotonicTime::max() : at;
}

MonotonicTime Lane::next_side_exchange(const Side& side, MonotonicTime now) const {
  const Circuit& circuit = destinations_[side.destination].circuit;
  const MonotonicTime at = circuit.is_open() ? std::max(now, circuit.probe_at()) : now;
  if (at == MonotonicTime::max()) return at;
  if (side_room(side, at) > 0 || may_merge(side)) return at;
  return MonotonicTime::max();
}

MonotonicTime Lane::next_release(MonotonicTime now) {
  MonotonicTime next = MonotonicTime::max();
  if (!may_send(now) || is_all_sent() || (is_isolating() && in_flight_count_ > 0)) return next;
  for (DestinationIndex index = 0; index < destinations_.count(); ++index) {
    DestinationState& state = destinations_[index];
    const bool is_full = !state.circuit.is_open() && !state.has_place(now);
    if (is_full || next_ready(index) == nullptr) continue;
    const MonotonicTime at = state.rate.next(now);
    next = std::min(next, state.circuit.is_open() ? std::max(at, state.circuit.probe_at()) : at);
  }
  return next;
}

LaneFigures Lane::figures() const {
  const auto numbers_after = [this](Sequence from) {
    return static_cast<std::size_t>(std::max<Sequence>(0, counter_ - from));
  };
  LaneFigures figures{.is_owner = is_owner(),
                      .unread_count = numbers_after(reached_),
                      .open_count = open_.count(),
                      .in_flight_count = in_flight_count_,
                      .window_count = window_.count(),
                      .side_lane_count = sides_.count()};
  for (DestinationIndex index = 0; index < destinations_.count(); ++index) {
    figures.open_circuit_count += destinations_[index].circuit.is_open() ? 1U : 0U;
    figures.parked_count += destinations_[index].parked_count;
  }
  Sequence lowest = reached_;
  for (const auto& side : sides_) {
    if (!side->is_history()) lowest = std::min(lowest, side->lane.reached);
  }
  figures.pending_count = numbers_after(lowest) + window_.count() + unread_.size() + figures.parked_count;
  for (const auto& side : sides_) figures.pending_count += side->unread.size();
  return figures;
}

bool Lane::is_broken(std::string_view destination) const {
  const auto index = destinations_.find(destination);
  return index && destinations_[*index].circuit.is_open();
}

double Lane::unit_random() {
  // splitmix64: small, even, and the same in every build.
  random_state_ += 0x9E37'79B9'7F4A'7C15;
  std::uint64_t x = random_state_;
  x = (x ^ (x >> 30)) * 0xBF58'476D'1CE4'E5B9;
  x = (x ^ (x >> 27)) * 0x94D0'49BB'1331'11EB;
  return static_cast<double>((x ^ (x >> 31)) >> 11) * 0x1.0p-53;
}

}  // namespace makegood::core
