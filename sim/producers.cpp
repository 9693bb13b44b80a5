// Producers: concurrent transactions that draw numbers, commit late or roll back. One that uses a key locks it first,
// as an application locks its aggregate; that is what makes log order mean something.
#include <utility>

#include "sim/world.hpp"

namespace makegood::sim {
namespace {

constexpr std::size_t producers_max = 4;
constexpr std::size_t flood_max = 12;
constexpr std::size_t hanging_max = 6;
/// Apart from the chance of the others, which stay what they are for each seed.
constexpr std::uint64_t hanging_seed = 0x4A46'0000;

std::string topic_for(Chance& chance) {
  if (chance.one_in(24)) return "nowhere";
  return chance.one_in(3) ? "one" : "both.x";
}

}  // namespace

void World::produce(Chance& chance) {
  if (faults_.has(Fault::floods) && chance.one_in(40)) return flood(chance);
  if (producers_.size() < producers_max && chance.one_in(2)) {
    const bool is_late = faults_.has(Fault::late_commits) && chance.one_in(6);
    producers_.push_back({.transaction = memory::begin(database_, clock_), .is_late = is_late});
  }
  if (!producers_.empty()) enqueue(producers_[chance.below(producers_.size())], chance);
}

void World::enqueue(Producer& producer, Chance& chance) {
  const std::string event_id = "e" + std::to_string(next_event_++);
  NewMessage message{.topic = topic_for(chance), .payload = "\"" + event_id + "\"", .event_id = event_id};
  if (chance.one_in(3)) message.tenant_id = "t1";
  if (faults_.has(Fault::delays) && chance.one_in(8)) {
    message.available_at = clock_.now() + std::chrono::milliseconds(chance.below(2000));
  } else if (!chance.one_in(4)) {
    message.dispatch_key = "k" + std::to_string(chance.below(3));
    if (!lock_key(producer, message.tenant_id + "/" + message.dispatch_key)) return;
  } else {
    message.priority = static_cast<int>(chance.below(3));
  }
  const auto enqueued = producer.transaction->enqueue(message);
  if (!enqueued) return;
  if (faults_.has(Fault::poison) && poison_.size() < 4 && chance.one_in(30)) poison_.insert(event_id);
  if (faults_.has(Fault::sour) && sour_.size() < 3 && chance.one_in(20)) sour_.insert(event_id);
  const bool may_hang = faults_.has(Fault::hangs) && hanging_.size() < hanging_max && !poison_.contains(event_id);
  if (may_hang && Chance(plan_.seed, next_event_ + hanging_seed).one_in(6)) hanging_.insert(event_id);
  const std::string key = message.dispatch_key.empty() ? "" : message.tenant_id + "/" + message.dispatch_key;
  producer.written.push_back({event_id,
                              message.topic,
                              message.tenant_id,
                              message.dispatch_key,
                              message.priority,
                              {enqueued->sequence, key, message.payload, {}}});
  trace(1, static_cast<std::uint64_t>(enqueued->sequence));
}

/// Somebody imports: many of a kind in one transaction.
void World::flood(Chance& chance) {
  Producer producer{.transaction = memory::begin(database_, clock_)};
  NewMessage message{.topic = "both.x", .tenant_id = chance.one_in(2) ? "t1" : "default"};
  if (chance.one_in(2)) message.dispatch_key = "k" + std::to_string(chance.below(3));
  const std::string key = message.dispatch_key.empty() ? "" : message.tenant_id + "/" + message.dispatch_key;
  if (!key.empty() && !lock_key(producer, key)) return;
  const std::size_t count = 4 + chance.below(flood_max);
  for (std::size_t index = 0; index < count; ++index) {
    message.event_id = "e" + std::to_string(next_event_++);
    message.payload = "\"" + message.event_id + "\"";
    const auto enqueued = producer.transaction->enqueue(message);
    if (!enqueued) continue;
    producer.written.push_back({message.event_id,
                                message.topic,
                                message.tenant_id,
                                message.dispatch_key,
                                0,
                                {enqueued->sequence, key, message.payload, {}}});
  }
  trace(12, count);
  end(std::move(producer), true);
}

bool World::lock_key(Producer& producer, const std::string& key) {
  if (producer.keys.contains(key)) return true;
  if (!locked_keys_.insert(key).second) return false;
  producer.keys.insert(key);
  return true;
}

void World::end_a_transaction(Chance& chance) {
  if (producers_.empty()) return;
  const auto place = producers_.begin() + static_cast<std::ptrdiff_t>(chance.below(producers_.size()));
  if (place->is_late && !chance.one_in(20)) return;
  Producer producer = std::move(*place);
  producers_.erase(place);
  end(std::move(producer), !(faults_.has(Fault::rollbacks) && chance.one_in(4)));
}

void World::end(Producer producer, bool is_commit) {
  // The database may have forgotten the transaction: then it is rolled back, whatever was wanted.
  const bool is_committed = is_commit && producer.transaction->commit().has_value();
  for (Written& written : producer.written) {
    const Sequence sequence = written.message.sequence;
    if (is_committed) {
      checker_.committed(written.event_id, written.message);
      log_[sequence] = std::move(written);
      tell(sequence, "committed as number " + std::to_string(sequence) + ", topic " + log_[sequence].topic + ", key '" +
                         log_[sequence].message.key + "'");
      if (sequence <= position_.reached) summary_.sites.hit(Site::late_row);
    } else {
      checker_.rolled_back(written.event_id);
    }
  }
  for (const std::string& key : producer.keys) locked_keys_.erase(key);
  trace(2, is_committed ? 1 : 0);
}

}  // namespace makegood::sim
