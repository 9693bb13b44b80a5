#include "core/suspects.hpp"

#include <algorithm>
#include <chrono>

#include "core/mutant.hpp"
#include "makegood/spi/assert.hpp"

namespace makegood::core {
namespace {

using namespace std::chrono_literals;

/// So long a suspect is alone: others, and other suspects, wait no longer.
constexpr Duration alone_max = 1s;
/// What is in flight for so long is slow. A suspect that was alone meanwhile is cleared, and nobody waits for its end.
constexpr Duration slow_after = 500ms;
/// One that could not be sent while everybody waited is tried again after so long,
constexpr Duration between_isolations = 10s;
/// and one that cannot be alone goes like all others after this.
constexpr Duration put_off_max = 1min;
/// It was alone among the suspects when its owner died, but normal traffic went beside it, and a second killer may have
/// been there. From now on nothing goes beside it.
constexpr unsigned isolated_from = 3;
constexpr unsigned deaths_max = 5;

}  // namespace

bool is_poison(unsigned deaths) { return deaths >= deaths_max && !is_mutant("poison_is_repeated"); }

bool goes_alone(const Carried& carried) { return carried.deaths >= alone_from && !is_mutant("suspects_together"); }

void Suspects::begin(const Taken& taken) {
  is_after_death_ = taken.is_after_death;
  taken_alone_ = taken.position.alone;
  for (const auto& [destination, deaths_of] : taken.position.suspects) {
    for (const auto& [number, deaths] : deaths_of) deaths_[{destinations_.at(destination), number}] = deaths;
  }
}

void Suspects::was_under_way(DestinationIndex destination, Sequence sequence) {
  unsigned& deaths = deaths_[{destination, sequence}];
  if (is_to_blame(destination, sequence, deaths)) ++deaths;
}

bool Suspects::is_blamed(DestinationIndex destination, Sequence sequence, unsigned deaths) const {
  return is_after_death_ && is_to_blame(destination, sequence, deaths);
}

/// Once they go alone, only the one that was alone can have done it.
bool Suspects::is_to_blame(DestinationIndex destination, Sequence sequence, unsigned deaths) const {
  if (deaths < alone_from || is_mutant("blame_all_suspects")) return true;
  return taken_alone_ == Position::Alone{destinations_[destination].settings->name, sequence};
}

unsigned Suspects::deaths_of(DestinationIndex destination, Sequence sequence) const {
  if (deaths_.empty()) return 0;
  const auto found = deaths_.find({destination, sequence});
  return found == deaths_.end() ? 0 : found->second;
}

void Suspects::dropped(CarriedIndex index) {
  if (alone_ == index) leave_alone();
}

bool Suspects::is_isolating() const { return isolated_ && !is_mutant("second_killer_beside"); }

bool Suspects::may_reach(const Carried& carried) const {
  const Message& message = *carried.message;
  const DestinationState& state = destinations_[carried.destination];
  const Scope scope{state.settings->name, std::string(message.tenant_id), std::string(message.dispatch_key)};
  return !sides_.is_paused(carried.destination, scope);  // Into an outage it goes as a probe.
}

/// Where nobody answers, a suspect has to be the probe: it waits until that is due.
MonotonicTime Suspects::may_go_alone_at(CarriedIndex index) const {
  const Carried& carried = window_.at(index);
  const Line& endpoint = destinations_[carried.destination].endpoint;
  if (!may_reach(carried)) return MonotonicTime::max();
  return endpoint.is_broken() ? endpoint.probe_at() : MonotonicTime::min();
}

MonotonicTime Suspects::next_exchange(MonotonicTime looked_at, std::size_t in_flight_count) const {
  if (alone_ && !is_named_ && in_flight_count == 0) return MonotonicTime::min();
  if (alone_) return is_mutant("suspect_is_waited_for") ? MonotonicTime::max() : alone_since_ + alone_max;
  MonotonicTime next = MonotonicTime::max();
  for (const CarriedIndex index : waiting_) {
    const bool is_put_off = put_off_since_ && window_.at(index).deaths >= isolated_from;
    const MonotonicTime again = is_put_off ? looked_at + alone_max : MonotonicTime::min();
    next = std::min(next, std::max(may_go_alone_at(index), again));
  }
  return next;
}

bool Suspects::has_probe_for(DestinationIndex destination) const {
  return !alone_ && !put_off_since_ && std::ranges::any_of(waiting_, [&](CarriedIndex index) {
    return window_.at(index).destination == destination && may_reach(window_.at(index));
  });
}

/// After one that was never named there is no turn to wait for.
std::optional<CarriedIndex> Suspects::leave_alone() {
  if (!is_named_) isolated_.reset();
  return std::exchange(alone_, std::nullopt);
}

std::optional<CarriedIndex> Suspects::end_being_alone(MonotonicTime now) {
  if (!alone_ || now < alone_since_ + alone_max || is_mutant("suspect_is_waited_for")) return std::nullopt;
  return leave_alone();
}

void Suspects::wait_again(CarriedIndex index, MonotonicTime now) {
  if (window_.at(index).deaths >= isolated_from) isolate_from_ = now + between_isolations;
  waiting_.push_back(index);
}

bool Suspects::is_cleared(const Carried& carried, MonotonicTime now) {
  return *carried.sent_at + slow_after <= now && !is_mutant("survival_is_no_proof");
}

bool Suspects::is_anything_slow(MonotonicTime now) const {
  bool is_slow = false;
  window_.each([&](CarriedIndex /*index*/, const Carried& carried) {
    is_slow = is_slow || (carried.is_in_flight && *carried.sent_at + slow_after <= now);
  });
  return is_slow;
}

/// Of those that may go now, the one with the most deaths; nothing if there is none. With nothing beside it one goes
/// only if nothing slow is in flight, which would not end in time.
std::optional<CarriedIndex> Suspects::next_alone(MonotonicTime now) {
  const bool is_put_off = now < isolate_from_ || is_anything_slow(now);
  const auto weight = [&](CarriedIndex i) {
    const unsigned deaths = window_.at(i).deaths;
    const bool must_wait = deaths >= isolated_from && (is_put_off || isolated_);  // Between two of them others go.
    return may_go_alone_at(i) <= now && !must_wait ? deaths : 0U;
  };
  const auto next = std::ranges::max_element(waiting_, {}, weight);
  const bool has_isolated = std::ranges::any_of(
      waiting_, [&](CarriedIndex i) { return window_.at(i).deaths >= isolated_from && may_reach(window_.at(i)); });
  if (!is_put_off || !has_isolated) put_off_since_.reset();
  if (is_put_off && has_isolated && !put_off_since_) put_off_since_ = now;
  return weight(*next) > 0 ? std::optional(*next) : std::nullopt;
}

/// Where something always hangs, it is never alone: then it goes like all others, and is not named.
std::optional<CarriedIndex> Suspects::next_put_off(MonotonicTime now) {
  if (!put_off_since_ || now < *put_off_since_ + put_off_max) return std::nullopt;
  const auto next = std::ranges::find_if(
      waiting_, [&](CarriedIndex i) { return window_.at(i).deaths >= isolated_from && may_go_alone_at(i) <= now; });
  if (next == waiting_.end()) return std::nullopt;
  const CarriedIndex index = *next;
  waiting_.erase(next);
  put_off_since_.reset();
  return index;
}

/// The one with the most deaths first: a killer is not hidden by slow ones.
std::optional<CarriedIndex> Suspects::choose(MonotonicTime now) {
  if (alone_ || waiting_.empty()) return std::nullopt;
  const auto next = next_alone(now);
  if (!next) return next_put_off(now);
  std::erase(waiting_, *next);
  alone_ = next;
  alone_since_ = now;
  is_named_ = false;
  if (window_.at(*next).deaths >= isolated_from) isolated_ = place_of(window_.at(*next));
  return next;
}

void Suspects::name(std::size_t in_flight_count, TurnNumber next_turn) {
  const bool are_others_beside = is_isolating() && in_flight_count > 0 && !is_mutant("named_beside_others");
  if (!alone_ || is_named_ || are_others_beside) return;
  is_named_ = true;
  window_.at(*alone_).covered_by = next_turn;
}

void Suspects::committed(const Position& position) {
  const bool is_to_be_named = alone_ && !is_named_;
  if (!is_to_be_named && isolated_ != position.alone) isolated_.reset();
}

Position::Alone Suspects::place_of(const Carried& carried) const {
  return {destinations_[carried.destination].settings->name, carried.message->sequence};
}

void Suspects::write(Position& position) const {
  for (const auto& [place, deaths] : deaths_) {
    position.suspects[destinations_[place.first].settings->name][place.second] = deaths;
  }
  if (named()) position.alone = place_of(window_.at(*named()));
}

void Suspects::assert_consistent() const {
  for (const CarriedIndex index : waiting_) {
    MAKEGOOD_ASSERT(index != alone_ && window_.at(index).message != nullptr && !window_.at(index).is_in_flight);
  }
  MAKEGOOD_ASSERT(!alone_ || window_.at(*alone_).message != nullptr);
}

}  // namespace makegood::core
