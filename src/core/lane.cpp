#include "core/lane.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "makegood/assert.hpp"

namespace makegood::core {
namespace {

using namespace std::chrono_literals;

/// A success may wait this long for a turn that carries it along; nobody waits for it, and a turn costs a sync.
constexpr Duration record_within = 10ms;
/// No send starts when less than this is left of the lease.
constexpr Duration lease_margin = 1s;
/// How many messages that lead nowhere are routed again in one exchange.
constexpr std::size_t unrouted_due_max = 100;

}  // namespace

Lane::Lane(const DispatcherOptions& options, std::uint64_t seed)
    : outbox_(options.outbox), lease_(options.lease), options_(options), random_state_(seed) {
  destinations_.configure(options.destinations, options.routes);
}

void Lane::configure(const DispatcherOptions& options) {
  const std::size_t known = destinations_.count();
  options_ = options;
  destinations_.configure(options.destinations, options.routes);
  if (destinations_.count() > known) forget();
}

void Lane::begin(const Owner& owner, Taken taken, MonotonicTime asked_at) {
  forget();
  owner_ = owner;
  turn_ = taken.turn;
  reached_ = taken.position.reached;
  open_ = taken.position.open;
  for (const auto& [destination, numbers] : taken.position.under_way) {
    for (const Sequence number : numbers) unread_[number].push_back(destination);
  }
  for (const Parked& row : taken.blocking) {
    const auto destination = destinations_.find(row.destination);
    if (!destination || row.dispatch_key.empty()) continue;
    keys_.at(row.tenant_id, row.dispatch_key, *destination).blockers[row.sequence] = {row.state, row.attempts};
  }
  for (const Parked& row : taken.blocking) {
    const auto destination = destinations_.find(row.destination);
    Key* key = destination ? keys_.find(row.tenant_id, row.dispatch_key, *destination) : nullptr;
    // It was held behind a delivery under way, which may have ended unseen: nobody else will call it up.
    if (key != nullptr && next_held(*key, window_) == row.sequence) freed_.push_back(key);
  }
  for (const NextDue& next : taken.next_due) {
    if (const auto destination = destinations_.find(next.destination)) {
      destinations_[*destination].next_due = next.due_at;
    }
  }
  committed_position_ = std::move(taken.position);
  store_now_ = taken.now;
  store_now_at_ = asked_at;
  lease_until_ = asked_at + lease_;
  renewed_at_ = asked_at;
  clean_at_ = asked_at + options_.clean_interval;
  is_more_ = true;
}

void Lane::forget() {
  owner_.clear();
  open_.clear();
  unread_.clear();
  window_.clear();
  keys_.clear();
  destinations_.clear();
  answers_.clear();
  freed_.clear();
  asked_due_.clear();
  in_flight_count_ = 0;
  unrecorded_since_.reset();
  is_giving_up_ = false;
  draft_.reset();
}

std::size_t Lane::room() const {
  const LaneLimits& limits = options_.limits;
  if (is_stopping_ || window_.count() >= limits.window_rows_max || window_.bytes() >= limits.window_bytes_max) return 0;
  return limits.window_rows_max - window_.count();
}

LookFor Lane::look_for(MonotonicTime now) {
  asked_at_ = now;
  asked_due_.clear();
  LookFor wanted{.owner = owner_, .reached = reached_};
  const std::size_t free = room();
  has_asked_rows_ = free > 0;
  if (!has_asked_rows_) return wanted;

  wanted.rows_max = std::min(free, options_.limits.batch_rows_max);
  wanted.bytes_max = std::min(options_.limits.batch_bytes_max, options_.limits.window_bytes_max - window_.bytes());
  wanted.numbers = open_;
  for (const auto& [number, destinations] : unread_) wanted.numbers.push_back(number);
  std::ranges::sort(wanted.numbers);

  // What was under way when we took the lane comes first, or a delayed message could pass it.
  const std::size_t asked_about_due = unread_.empty() ? destinations_.count() : 0;
  for (DestinationIndex index = 0; index < asked_about_due; ++index) {
    const DestinationState& state = destinations_[index];
    if (!state.next_due || *state.next_due > store_time(now)) continue;
    const std::size_t places = index == unrouted_index ? unrouted_due_max : std::min(free, state.places_for_due());
    if (places == 0) continue;
    wanted.due.push_back({state.settings->name, places});
    asked_due_.push_back(index);
  }
  return wanted;
}

const Turn* Lane::decide(Found found, MonotonicTime now) {
  MAKEGOOD_ASSERT(is_owner() && !draft_);
  store_now_ = found.now;
  store_now_at_ = now;
  looked_at_ = now;
  counter_ = found.counter;
  is_more_ = found.is_more;
  unrecorded_since_.reset();
  draft_.emplace(Turn{.owner = owner_, .after = turn_, .lease = lease_});

  const bool is_counter_behind = found.counter < reached_;
  if (is_counter_behind) has_asked_rows_ = false;  // Such a look has nothing but requests to tell.
  if (!is_counter_behind) expect_due(found.next_due);
  carry_out(found.requests);
  record_answers();
  promote_freed();
  take_in_due(std::move(found.due));
  read(found);

  draft_->position = position();
  if (options_.is_cleaner_enabled && now >= clean_at_ && !is_stopping_) draft_->clean = options_.clean;
  if (is_giving_up_ || (is_stopping_ && in_flight_count_ == 0)) {
    is_giving_up_ = true;
    draft_->lease = {};
  }
  if (!is_turn_due(now)) draft_.reset();
  return draft_ ? &*draft_ : nullptr;
}

bool Lane::is_turn_due(MonotonicTime now) const {
  const bool has_something_to_say = draft_->position != committed_position_ || !draft_->parked.empty() ||
                                    !draft_->answers.empty() || draft_->clean || is_giving_up_;
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
  draft_.reset();
  if (is_giving_up_) forget();
}

Position Lane::position() {
  Position position{.reached = reached_, .open = open_};
  auto holes = window_.holes(destinations_.count());
  for (DestinationIndex index = 0; index < holes.size(); ++index) {
    if (!holes[index].empty()) {
      position.under_way.emplace(destinations_[index].settings->name, std::move(holes[index]));
    }
  }
  for (const auto& [number, destinations] : unread_) {
    for (const std::string& destination : destinations) {
      auto& numbers = position.under_way[destination];
      numbers.insert(std::ranges::upper_bound(numbers, number), number);
    }
  }
  return position;
}

bool Lane::may_send(MonotonicTime now) const {
  return is_owner() && !is_stopping_ && now < lease_until_ - std::min<Duration>(lease_margin, lease_ / 5);
}

MonotonicTime Lane::next_exchange(MonotonicTime now) const {
  if (!answers_.empty() || !freed_.empty()) return now;
  if (is_stopping_ && in_flight_count_ == 0) return now;
  const bool is_worth_reading = is_more_ && room() * 4 >= options_.limits.window_rows_max;
  if (is_worth_reading) return now;
  MonotonicTime next = std::min(renewed_at_ + lease_ / 3, looked_at_ + options_.safety_interval);
  if (unrecorded_since_) next = std::min(next, *unrecorded_since_ + record_within);
  if (options_.is_cleaner_enabled && !is_stopping_) next = std::min(next, clean_at_);
  for (DestinationIndex index = 0; index < destinations_.count(); ++index) {
    const DestinationState& state = destinations_[index];
    if (state.next_due && state.places_for_due() > 0 && room() > 0) {
      next = std::min(next, store_now_at_ + (*state.next_due - store_now_));
    }
  }
  return std::max(next, now);
}

MonotonicTime Lane::next_release(MonotonicTime now) {
  MonotonicTime next = MonotonicTime::max();
  if (!may_send(now)) return next;
  for (DestinationIndex index = 0; index < destinations_.count(); ++index) {
    DestinationState& state = destinations_[index];
    const bool is_ready = !state.ready.empty() && window_.at(state.ready.front()).covered_by <= turn_;
    if (!is_ready || !state.has_place()) continue;
    next = std::min(next, state.rate.next(now));
  }
  return next;
}

LaneFigures Lane::figures() const {
  return {.is_owner = is_owner(),
          .pending_count = static_cast<std::size_t>(std::max<Sequence>(0, counter_ - reached_)),
          .in_flight_count = in_flight_count_,
          .window_count = window_.count()};
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
