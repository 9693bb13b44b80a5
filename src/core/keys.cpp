#include "core/keys.hpp"

#include <algorithm>

#include "core/mutant.hpp"

namespace makegood::core {

Blocker blocker_of(const Parked& row) { return {row.state, row.attempts, row.answered, row.event_id, row.replay}; }

std::size_t Keys::HashName::operator()(const Name& name) const {
  constexpr std::size_t odd = 0x9E37'79B9'7F4A'7C15;
  const std::hash<std::string_view> hash;
  return (hash(name.tenant_id) * odd + hash(name.dispatch_key)) * odd + name.destination;
}

Key* Keys::find(std::string_view tenant_id, std::string_view dispatch_key, DestinationIndex destination) const {
  const auto found = keys_.find({tenant_id, dispatch_key, destination});
  return found == keys_.end() ? nullptr : found->second.get();
}

Key& Keys::at(std::string_view tenant_id, std::string_view dispatch_key, DestinationIndex destination) {
  if (Key* known = find(tenant_id, dispatch_key, destination)) return *known;
  auto key = std::make_unique<Key>(Key{std::string(tenant_id), std::string(dispatch_key), destination});
  const Name name{key->tenant_id, key->dispatch_key, destination};
  return *keys_.emplace(name, std::move(key)).first->second;
}

std::vector<Key*> Keys::of(DestinationIndex destination) const {
  std::vector<Key*> keys;
  for (const auto& [name, key] : keys_) {
    if (name.destination == destination) keys.push_back(key.get());
  }
  return keys;
}

void Keys::drop_if_idle(Key& key) {
  if (key.is_idle()) keys_.erase({key.tenant_id, key.dispatch_key, key.destination});
}

void enter(Key& key, CarriedIndex index, Window& window) {
  const auto number = [&](CarriedIndex i) { return window.at(i).message->sequence; };
  const auto place = std::ranges::upper_bound(key.queue, number(index), {}, number);
  key.queue.insert(place, index);
}

bool is_next(const Key& key, Sequence sequence, const Window& window) {
  const bool is_behind = !key.queue.empty() && window.at(key.queue.front()).message->sequence < sequence;
  if (is_mutant("two_of_a_key")) return !key.is_blocked_before(sequence) && !is_behind;
  return !key.going && !key.is_blocked_before(sequence) && !is_behind;
}

std::optional<CarriedIndex> let_go(Key& key, const Window& window) {
  if (key.queue.empty()) return std::nullopt;
  const CarriedIndex first = key.queue.front();
  if (!is_next(key, window.at(first).message->sequence, window)) return std::nullopt;
  key.queue.erase(key.queue.begin());
  key.going = first;
  return first;
}

std::optional<Sequence> next_held(const Key& key, const Window& window) {
  if (key.blockers.empty()) return std::nullopt;
  const auto& [sequence, blocker] = *key.blockers.begin();
  if (blocker.state != ParkedState::held || !is_next(key, sequence, window)) return std::nullopt;
  return sequence;
}

}  // namespace makegood::core
