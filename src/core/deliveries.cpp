#include "core/deliveries.hpp"

#include <algorithm>
#include <utility>

#include "makegood/spi/assert.hpp"

namespace makegood::core {

bool Deliveries::is_all_sent(std::size_t answer_count) const {
  const std::size_t sent = in_flight_count_ + answer_count;
  MAKEGOOD_ASSERT(sent <= window_.count());
  return sent == window_.count();
}

CarriedIndex Deliveries::admit(Carried carried) {
  if (carried.side != nullptr) {
    ++carried.side->in_hand;
    ++in_side_hands_;
  }
  return window_.add(std::move(carried));
}

void Deliveries::make_ready(CarriedIndex index) {
  if (goes_alone(window_.at(index))) return suspects_.wait(index);
  queue_up(index);
}

std::deque<CarriedIndex>& Deliveries::queue_of(const Carried& carried) {
  return carried.side != nullptr ? carried.side->ready : destinations_[carried.destination].ready;
}

void Deliveries::queue_up(CarriedIndex index) {
  const Carried& carried = window_.at(index);
  if (carried.is_parked) return queue_first(index);
  auto& ready = queue_of(carried);
  const auto priority = [this](CarriedIndex i) {
    const Carried& other = window_.at(i);
    return other.key == nullptr && !other.is_parked ? other.message->priority : 0;
  };
  const std::size_t retries = carried.side != nullptr ? 0 : destinations_[carried.destination].ready_parked;
  const auto first = ready.begin() + static_cast<std::ptrdiff_t>(retries);
  if (first == ready.end() || priority(ready.back()) >= priority(index)) return ready.push_back(index);
  ready.insert(std::ranges::upper_bound(first, ready.end(), priority(index), std::ranges::greater(), priority), index);
}

/// Retries come before all others; one that is no retry comes before them now, and they do not mind.
void Deliveries::queue_first(CarriedIndex index) {
  const Carried& carried = window_.at(index);
  queue_of(carried).push_front(index);
  if (carried.is_parked) ++destinations_[carried.destination].ready_parked;
}

void Deliveries::take_from_queues(CarriedIndex index) {
  const Carried& carried = window_.at(index);
  const auto erased = std::erase(queue_of(carried), index);
  if (carried.is_parked) destinations_[carried.destination].ready_parked -= erased;
  suspects_.withdraw(index);
  Key* key = carried.key;
  if (key == nullptr) return;
  if (key->going == index) key->going.reset();
  std::erase(key->queue, index);
}

void Deliveries::sent(CarriedIndex index, Line::Place place, MonotonicTime now) {
  Carried& carried = window_.at(index);
  carried.is_in_flight = true;
  carried.sent_at = now;
  carried.is_probe = place.is_probe;
  ++in_flight_count_;
}

void Deliveries::answered(Carried& carried) {
  carried.is_in_flight = false;
  --in_flight_count_;
}

void Deliveries::end(CarriedIndex index) {
  const Carried& carried = window_.at(index);
  if (!carried.is_parked && carried.deaths > 0) suspects_.acquit(carried.destination, carried.message->sequence);
  drop(index);
}

void Deliveries::drop(CarriedIndex index) {
  const Carried& carried = window_.at(index);
  if (carried.side != nullptr) {
    --carried.side->in_hand;
    --in_side_hands_;
  }
  suspects_.dropped(index);
  window_.remove(index);
}

void Deliveries::move(CarriedIndex index, Side* to) {
  Carried& carried = window_.at(index);
  if (!carried.is_in_flight) take_from_queues(index);
  if (carried.side != nullptr) --carried.side->in_hand;
  if (to != nullptr) ++to->in_hand;
  in_side_hands_ += to != nullptr ? 1U : 0U;
  in_side_hands_ -= carried.side != nullptr ? 1U : 0U;
  carried.side = to;
}

void Deliveries::move_all(Side& from, Side* to) {
  window_.each([&](CarriedIndex /*index*/, Carried& carried) {
    if (carried.side == &from) carried.side = to;
  });
  auto& ready = to != nullptr ? to->ready : destinations_[from.destination].ready;
  ready.insert(ready.end(), from.ready.begin(), from.ready.end());
  from.ready.clear();
  if (to != nullptr) to->in_hand += from.in_hand;
  if (to == nullptr) in_side_hands_ -= from.in_hand;
  from.in_hand = 0;
}

void Deliveries::assert_consistent() const {
  std::size_t in_flight = 0;
  std::size_t in_side_hands = 0;
  window_.each([&](CarriedIndex index, const Carried& carried) {
    in_flight += carried.is_in_flight ? 1U : 0U;
    in_side_hands += carried.side != nullptr ? 1U : 0U;
    MAKEGOOD_ASSERT(carried.key == nullptr || carried.key->going == index ||
                    std::ranges::count(carried.key->queue, index) == 1);
  });
  MAKEGOOD_ASSERT(in_flight == in_flight_count_ && in_side_hands == in_side_hands_);
  std::size_t counted = 0;
  for (const auto& side : sides_) {
    counted += side->in_hand;
    assert_ready(side->ready, 0);
  }
  MAKEGOOD_ASSERT(counted == in_side_hands_);
  for (DestinationIndex index = 0; index < destinations_.count(); ++index) {
    assert_ready(destinations_[index].ready, destinations_[index].ready_parked);
  }
}

void Deliveries::assert_ready(const std::deque<CarriedIndex>& ready, std::size_t retries) const {
  std::size_t parked = 0;
  for (const CarriedIndex index : ready) {
    const Carried& carried = window_.at(index);
    MAKEGOOD_ASSERT(carried.message != nullptr && !carried.is_in_flight);
    parked += carried.is_parked ? 1U : 0U;
  }
  MAKEGOOD_ASSERT(parked == retries);
}

}  // namespace makegood::core
