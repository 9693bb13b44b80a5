#include "core/saga/memory.hpp"

#include "makegood/spi/assert.hpp"

namespace makegood::core {

InHand& SagaMemory::add(MessagePtr start) {
  auto in_hand = std::make_unique<InHand>(std::move(start));
  const Execution& execution = in_hand->execution;
  by_id_.emplace(Id(execution.tenant_id(), execution.id()), execution.number());
  const auto [place, is_new] = by_number_.emplace(execution.number(), std::move(in_hand));
  MAKEGOOD_ASSERT(is_new);
  return *place->second;
}

InHand* SagaMemory::find(Sequence number) {
  const auto found = by_number_.find(number);
  return found == by_number_.end() ? nullptr : found->second.get();
}

InHand* SagaMemory::find(std::string_view tenant_id, std::string_view id) {
  const auto found = by_id_.find(Id(tenant_id, id));
  return found == by_id_.end() ? nullptr : find(found->second);
}

void SagaMemory::remove(Sequence number) {
  InHand* in_hand = find(number);
  if (in_hand == nullptr) return;
  set_wake(*in_hand, std::nullopt);
  std::erase(touched_, in_hand);
  by_id_.erase(Id(in_hand->execution.tenant_id(), in_hand->execution.id()));
  by_number_.erase(number);
}

void SagaMemory::clear() {
  touched_.clear();
  timers_.clear();
  by_id_.clear();
  by_number_.clear();
}

std::optional<Sequence> SagaMemory::lowest_without(const std::set<Sequence>& leaving) const {
  for (const auto& [number, in_hand] : by_number_) {
    if (!leaving.contains(number)) return number;
  }
  return std::nullopt;
}

void SagaMemory::touch(InHand& in_hand) {
  if (std::exchange(in_hand.is_touched, true)) return;
  touched_.push_back(&in_hand);
}

void SagaMemory::set_wake(InHand& in_hand, std::optional<TimePoint> wake) {
  if (in_hand.wake) timers_.erase({*in_hand.wake, in_hand.execution.number()});
  in_hand.wake = wake;
  if (wake) timers_.emplace(*wake, in_hand.execution.number());
}

void SagaMemory::wake_until(TimePoint now) {
  for (auto timer = timers_.begin(); timer != timers_.end() && timer->first <= now; ++timer) {
    touch(*by_number_.at(timer->second));
  }
}

std::optional<TimePoint> SagaMemory::next_wake() const {
  if (timers_.empty()) return std::nullopt;
  return timers_.begin()->first;
}

void SagaMemory::assert_consistent() const {
  MAKEGOOD_ASSERT(by_id_.size() == by_number_.size());
  std::size_t sleeping = 0;
  for (const auto& [number, in_hand] : by_number_) {
    sleeping += in_hand->wake ? 1U : 0U;
    MAKEGOOD_ASSERT(in_hand->is_touched || in_hand->wake || in_hand->calls > 0);
    MAKEGOOD_ASSERT(in_hand->is_touched || in_hand->decided.records.empty());
  }
  MAKEGOOD_ASSERT(sleeping == timers_.size());
}

}  // namespace makegood::core
