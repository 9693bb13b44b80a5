#include "server/saga_waits.hpp"

#include <algorithm>

namespace makegood::server {
namespace {

constexpr Duration patience_min = std::chrono::milliseconds(2);
constexpr Duration patience_max = std::chrono::milliseconds(50);

template <class Key>
void erase_one(std::multimap<Key, std::uint64_t>& index, const Key& key, std::uint64_t number) {
  const auto [begin, end] = index.equal_range(key);
  const auto found = std::find_if(begin, end, [&](const auto& each) { return each.second == number; });
  if (found != end) index.erase(found);
}

}  // namespace

MonotonicTime SagaWaits::due(const Waiting& waiting) const {
  return std::min(waiting.wait.look_at, waiting.wait.until);
}

void SagaWaits::add(Wait wait) {
  const Number number = ++last_;
  by_id_.emplace(wait.id, number);
  by_execution_.emplace(wait.execution, number);
  const auto place = by_number_.emplace(number, Waiting{std::move(wait), patience_min}).first;
  by_time_.emplace(due(place->second), number);
}

MonotonicTime SagaWaits::next() const { return by_time_.empty() ? MonotonicTime::max() : by_time_.begin()->first; }

std::vector<Sequence> SagaWaits::worth_a_look(std::span<const SagaId> told, MonotonicTime now) {
  std::set<Sequence> executions;
  for (const SagaId& id : told) {
    const auto [begin, end] = by_id_.equal_range(id);
    for (auto each = begin; each != end; ++each) executions.insert(by_number_.at(each->second).wait.execution);
  }
  std::vector<Number> due_now;
  for (const auto& [time, number] : by_time_) {
    if (time > now) break;
    due_now.push_back(number);
  }
  for (const Number number : due_now) {
    Waiting& waiting = by_number_.at(number);
    executions.insert(waiting.wait.execution);
    by_time_.erase({due(waiting), number});
    waiting.wait.look_at = now + waiting.patience;
    waiting.patience = std::min(waiting.patience * 2, patience_max);
    by_time_.emplace(due(waiting), number);
  }
  return {executions.begin(), executions.end()};
}

SagaWaits::Wait SagaWaits::remove(Number number) {
  const auto found = by_number_.find(number);
  by_time_.erase({due(found->second), number});
  Wait wait = std::move(found->second.wait);
  by_number_.erase(found);
  erase_one(by_id_, wait.id, number);
  erase_one(by_execution_, wait.execution, number);
  return wait;
}

std::vector<SagaWaits::Wait> SagaWaits::take(Sequence execution) {
  std::vector<Wait> taken;
  for (auto found = by_execution_.find(execution); found != by_execution_.end();
       found = by_execution_.find(execution)) {
    taken.push_back(remove(found->second));
  }
  return taken;
}

std::vector<SagaWaits::Wait> SagaWaits::take(const SagaId& id) {
  std::vector<Wait> taken;
  for (auto found = by_id_.find(id); found != by_id_.end(); found = by_id_.find(id)) {
    taken.push_back(remove(found->second));
  }
  return taken;
}

std::vector<SagaWaits::Wait> SagaWaits::take_expired(MonotonicTime now) {
  std::vector<Number> numbers;
  for (const auto& [time, number] : by_time_) {
    if (time > now) break;
    if (by_number_.at(number).wait.until <= now) numbers.push_back(number);
  }
  std::vector<Wait> expired;
  for (const Number number : numbers) expired.push_back(remove(number));
  return expired;
}

}  // namespace makegood::server
