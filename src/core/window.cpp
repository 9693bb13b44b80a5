#include "core/window.hpp"

#include <algorithm>
#include <utility>

#include "core/mutant.hpp"
#include "makegood/spi/assert.hpp"

namespace makegood::core {
namespace {

constexpr unsigned generation_shift = 32;

}  // namespace

CarriedIndex Window::add(Carried carried) {
  if (free_.empty()) {
    free_.push_back(static_cast<CarriedIndex>(slots_.size()));
    slots_.emplace_back();
  }
  const CarriedIndex index = free_.back();
  free_.pop_back();
  bytes_ += bytes_of(*carried.message);
  if (!carried.is_parked) {
    const Read read{carried.message->sequence, index, slots_[index].generation};
    if (log_order_.empty() || log_order_.back().sequence <= read.sequence) {
      log_order_.push_back(read);
    } else {  // A row that committed late.
      log_order_.insert(std::ranges::upper_bound(log_order_, read.sequence, {}, &Read::sequence), read);
    }
  }
  slots_[index].carried = std::move(carried);
  return index;
}

void Window::remove(CarriedIndex index) {
  Slot& slot = slots_[index];
  MAKEGOOD_ASSERT(slot.carried.message != nullptr);
  bytes_ -= bytes_of(*slot.carried.message);
  slot.carried = {};
  ++slot.generation;
  free_.push_back(index);
}

void Window::clear() {
  free_.clear();
  for (CarriedIndex index = 0; index < slots_.size(); ++index) {
    slots_[index].carried = {};
    if (!is_mutant("stale_answers")) ++slots_[index].generation;
    free_.push_back(index);
  }
  log_order_.clear();
  bytes_ = 0;
}

bool Window::has(Sequence sequence, DestinationIndex destination) const {
  const auto [first, last] = std::ranges::equal_range(log_order_, sequence, {}, &Read::sequence);
  return std::any_of(first, last, [&](const Read& read) {
    return is_carried(read) && slots_[read.index].carried.destination == destination;
  });
}

Ticket Window::ticket_of(CarriedIndex index) const {
  return (Ticket{slots_[index].generation} << generation_shift) | index;
}

Carried* Window::find(Ticket ticket) {
  const CarriedIndex index = index_of(ticket);
  if (index >= slots_.size() || slots_[index].generation != ticket >> generation_shift) return nullptr;
  return slots_[index].carried.message == nullptr ? nullptr : &slots_[index].carried;
}

}  // namespace makegood::core
