// What the store is asked for before the shard decides: executions that are not in memory, and definitions.
#include <algorithm>
#include <utility>

#include "core/mutant.hpp"
#include "core/saga/owned_shard.hpp"
#include "makegood/spi/assert.hpp"

namespace makegood::core {
namespace {

constexpr std::size_t loaded_at_once_max = 1000;

template <class Value>
void add_once(std::vector<Value>& values, Value value) {
  if (std::ranges::find(values, value) == values.end()) values.push_back(std::move(value));
}

void need_definition(const OwnedShard& shard, DefinitionName name, ShardNeeds& needs) {
  if (shard.definitions.is_unknown(name)) add_once(needs.definitions, std::move(name));
}

void need_execution(OwnedShard& shard, const ShardNeeds::Id& id, ShardNeeds& needs) {
  if (const InHand* in_hand = shard.memory.find(id.first, id.second)) {
    // Nobody knew its definition; a retry begins it anew.
    const Execution& execution = in_hand->execution;
    if (!execution.definition()) need_to_begin(shard, execution.start(), needs);
    return;
  }
  if (shard.absent.contains(id) || shard.numbers.contains(id)) return;
  // It may be started by a row that is in hand.
  const bool is_starting = std::ranges::any_of(shard.rows, [&](const RowInHand& each) {
    return std::holds_alternative<StartAsked>(each.request) && each.row->event_id == id.second &&
           each.row->tenant_id == id.first;
  });
  if (!is_starting) add_once(needs.ids, id);
}

/// The version that it is to go on by, when the execution is known.
void need_target(OwnedShard& shard, const RowInHand& each, const AboutExecution& about, ShardNeeds& needs) {
  const auto* request = std::get_if<SagaRequest>(&about.what);
  const InHand* in_hand = shard.memory.find(each.row->tenant_id, about.id);
  if (request == nullptr || in_hand == nullptr || request->version == 0) return;
  need_definition(shard, {std::string(in_hand->execution.start().topic), request->version}, needs);
}

void need_for(OwnedShard& shard, const RowInHand& each, ShardNeeds& needs) {
  if (std::holds_alternative<StartAsked>(each.request)) return need_to_begin(shard, *each.row, needs);
  if (const auto* about = std::get_if<AboutExecution>(&each.request)) {
    need_execution(shard, {std::string(each.row->tenant_id), about->id}, needs);
    need_target(shard, each, *about, needs);
  }
}

void need_waiting(OwnedShard& shard, ShardNeeds& needs) {
  const std::size_t free = std::min(room(shard), loaded_at_once_max);
  if (free == 0 || shard.lasting.is_stopping) return;
  if (!shard.recovery.is_over()) {
    needs.unfinished = {shard.recovery.from, shard.recovery.to};
    needs.rows_max = free;
    return;
  }
  needs.wants_next_due = !shard.is_next_due_known;
  const bool is_any_due = shard.is_next_due_known && shard.next_due && *shard.next_due <= shard.ownership.store_now;
  needs.due_max = is_any_due ? free : 0;
  needs.due_by = shard.ownership.store_now;
}

/// What each revision of a journal says.
using Revisions = std::vector<std::vector<SagaRecord>>;

/// Its definition is that of the last record that names a version.
DefinitionName definition_of(const SagaLoaded& loaded, const Revisions& revisions) {
  std::int64_t version = 0;
  for (const auto& records : revisions) {
    for (const SagaRecord& record : records) {
      const bool is_forgotten = record.kind == RecordKind::repinned && is_mutant("saga_repin_is_not_stored");
      if (names_version(record.kind) && !is_forgotten) version = record.version;
    }
  }
  return {std::string(loaded.start->topic), version};
}

Result<Revisions> revisions_of(const SagaLoaded& loaded) {
  Revisions all;
  all.reserve(loaded.journal.size());
  for (const JournalRow& row : loaded.journal) all.push_back(MAKEGOOD_TRY(decode_saga_records(row.records)));
  return all;
}

void fold(OwnedShard& shard, const SagaLoaded& loaded, const Revisions& revisions,
          const SagaDefinitionPtr& definition) {
  const Sequence number = loaded.start->sequence;
  InHand& in_hand = shard.memory.add(loaded.start);
  in_hand.revision = loaded.journal.empty() ? 0 : loaded.journal.back().revision;
  in_hand.had_ended = loaded.end.has_value();
  in_hand.is_parked = !loaded.end && !shard.recovered.contains(number);
  in_hand.waits_for_key = loaded.waits_for_key;
  for (const auto& records : revisions) {
    for (const SagaRecord& record : records) {
      const bool is_forgotten = record.kind == RecordKind::spread && is_mutant("saga_spread_is_not_stored");
      if (!is_forgotten) in_hand.execution.apply(record, definition);
    }
    in_hand.execution.count_revision();
  }
  in_hand.is_read_back = true;
  shard.memory.touch(in_hand);
  shard.recovered.erase(number);
}

/// False: a definition is missing.
bool try_to_fold(OwnedShard& shard, const SagaLoaded& loaded) {
  if (shard.memory.find(loaded.start->sequence) != nullptr) return true;
  const auto revisions = revisions_of(loaded);
  if (!revisions) {
    shard.lasting.alarms.push_back(revisions.error());
    shard.gone.insert(loaded.start->sequence);
    return true;
  }
  const DefinitionName name = definition_of(loaded, *revisions);
  if (name.version != 0 && shard.definitions.is_unknown(name)) return false;
  const bool is_newest = is_mutant("saga_newest_definition") && !shard.definitions.is_unknown({name.name, 0});
  const auto definition = shard.definitions.find(is_newest ? DefinitionName{name.name, 0} : name);
  fold(shard, loaded, *revisions, name.version == 0 ? nullptr : definition);
  return true;
}

void fold_all(OwnedShard& shard) {
  std::erase_if(shard.unfolded, [&](const SagaLoaded& loaded) { return try_to_fold(shard, loaded); });
}

/// Its start was read and is not decided on yet.
bool is_starting(const OwnedShard& shard, Sequence number) {
  return std::ranges::any_of(shard.rows, [number](const RowInHand& each) {
    return each.row->sequence == number && std::holds_alternative<StartAsked>(each.request);
  });
}

/// Who was frozen after its look may be told of an execution that its successor has begun, and whose start it has in
/// hand itself: its turn will be fenced.
void want(OwnedShard& shard, Sequence number, bool is_recovered) {
  if (shard.memory.find(number) != nullptr || is_starting(shard, number)) return;
  shard.wanted.insert(number);
  if (is_recovered) shard.recovered.insert(number);
}

void take_ids(OwnedShard& shard, const ShardNeeds& needed, const ShardSupply& supply) {
  MAKEGOOD_ASSERT(supply.ids.size() == needed.ids.size());
  for (std::size_t index = 0; index < needed.ids.size(); ++index) {
    const auto& number = supply.ids[index];
    // What is not read yet will be, with its start.
    if (!number || *number > shard.log.reached() || shard.log.open().contains(*number)) {
      shard.absent.insert(needed.ids[index]);
      continue;
    }
    shard.numbers[needed.ids[index]] = *number;
    want(shard, *number, false);
  }
}

void take_executions(OwnedShard& shard, const ShardNeeds& needed, ShardSupply& supply) {
  for (SagaLoaded& loaded : supply.executions) {
    shard.wanted.erase(loaded.start->sequence);
    shard.unfolded.push_back(std::move(loaded));
  }
  for (const Sequence number : needed.executions) {
    if (shard.wanted.erase(number) > 0) shard.gone.insert(number);
  }
}

void take_unfinished(OwnedShard& shard, const ShardNeeds& needed, const ShardSupply& supply) {
  for (const Sequence number : supply.unfinished) {
    if (!shard.not_begun.contains(number) || is_mutant("saga_open_is_under_way")) want(shard, number, true);
  }
  const bool is_page_full = supply.unfinished.size() >= needed.rows_max;
  shard.recovery.from = is_page_full ? supply.unfinished.back() + 1 : shard.recovery.to + 1;
}

void take_due(OwnedShard& shard, const ShardSupply& supply) {
  for (const Sequence number : supply.due) want(shard, number, false);
  // Those rows go with the turn; what is next is asked for after it.
  shard.next_due.reset();
  shard.is_due_taken = !is_mutant("saga_next_due_forgotten");
}

}  // namespace

std::size_t room(const OwnedShard& shard) {
  const std::size_t used = shard.memory.count() + shard.wanted.size() + shard.unfolded.size() + shard.rows.size();
  return used >= shard.lasting.options.executions_max ? 0 : shard.lasting.options.executions_max - used;
}

DefinitionName definition_asked_for(const Message& start) {
  return {std::string(start.topic), read_start(start).version};
}

void need_to_begin(const OwnedShard& shard, const Message& start, ShardNeeds& needs) {
  need_definition(shard, definition_asked_for(start), needs);
  ShardNeeds::Id key(start.tenant_id, start.dispatch_key);
  if (!key.second.empty() && !shard.keys.contains(key)) add_once(needs.keys, std::move(key));
}

bool is_row_unsupplied(OwnedShard& shard) {
  return std::ranges::any_of(shard.rows, [&](const RowInHand& each) {
    const auto* about = std::get_if<AboutExecution>(&each.request);
    if (about == nullptr) return false;  // A start waits in memory for what it needs.
    ShardNeeds needs;
    need_for(shard, each, needs);
    if (!needs.empty()) return true;
    const auto number = shard.numbers.find({std::string(each.row->tenant_id), about->id});
    return number != shard.numbers.end() && !shard.gone.contains(number->second) &&
           shard.memory.find(number->second) == nullptr;
  });
}

ShardNeeds needs_of(OwnedShard& shard) {
  ShardNeeds needs;
  for (const RowInHand& each : shard.rows) need_for(shard, each, needs);
  for (const SagaLoaded& loaded : shard.unfolded) {
    const auto revisions = revisions_of(loaded);
    if (revisions) need_definition(shard, definition_of(loaded, *revisions), needs);
  }
  for (const ReplyInHand& each : shard.replies) {
    if (!shard.gone.contains(each.call.execution)) want(shard, each.call.execution, false);
  }
  for (const InHand* in_hand : shard.memory.touched()) {
    const Execution& execution = in_hand->execution;
    const bool may_begin = !execution.has_begun() && !execution.has_ended();
    if (may_begin) need_to_begin(shard, execution.start(), needs);
  }
  need_waiting(shard, needs);
  for (const Sequence number : shard.wanted) {
    if (needs.executions.size() < loaded_at_once_max) needs.executions.push_back(number);
  }
  return needs;
}

void take_supply(OwnedShard& shard, const ShardNeeds& needed, ShardSupply supply) {
  take_ids(shard, needed, supply);
  take_executions(shard, needed, supply);
  MAKEGOOD_ASSERT(supply.definitions.size() == needed.definitions.size());
  for (std::size_t index = 0; index < needed.definitions.size(); ++index) {
    shard.definitions.learn(needed.definitions[index], supply.definitions[index]);
  }
  MAKEGOOD_ASSERT(supply.keys.size() == needed.keys.size());
  for (std::size_t index = 0; index < needed.keys.size(); ++index) {
    shard.keys[needed.keys[index]] = std::move(supply.keys[index]);
  }
  if (needed.unfinished) take_unfinished(shard, needed, supply);
  if (needed.due_max > 0) take_due(shard, supply);
  if (needed.wants_next_due) {
    shard.next_due = supply.next_due;
    shard.is_next_due_known = true;
  }
  fold_all(shard);
}

}  // namespace makegood::core
