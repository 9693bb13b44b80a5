// Which executions may begin: of one tenant and key, one after the other.
//
// Whoever begins takes the key, in the turn that says so. The turn in which it ends passes the key on to the lowest one
// that waits, which is due at once; what has failed keeps it until somebody has settled what is open.
#include <utility>

#include "base/row_names.hpp"
#include "core/mutant.hpp"
#include "core/saga/owned_shard.hpp"

namespace makegood::core {
namespace {

SagaKeyHeld key_held_by(const Execution& execution) {
  return {.tenant_id = std::string(execution.tenant_id()),
          .key = std::string(execution.key()),
          .execution = execution.number(),
          .id = std::string(execution.id())};
}

std::optional<SagaKeyHeld>& holder_of(OwnedShard& shard, const Execution& execution) {
  return shard.keys.at({std::string(execution.tenant_id()), std::string(execution.key())});
}

SagaOnBusy on_busy(const Message& start, const SagaDefinition& definition) {
  return read_start(start).on_busy.value_or(definition.on_busy);
}

/// Who else holds it; null: it is this one's from now on, or it names none.
const SagaKeyHeld* take_key(OwnedShard& shard, const Execution& execution) {
  if (execution.key().empty() || is_mutant("saga_key_ignored")) return nullptr;
  std::optional<SagaKeyHeld>& holder = holder_of(shard, execution);
  if (!holder) {
    holder = key_held_by(execution);
    if (!is_mutant("saga_key_not_stored")) shard.draft->keys_taken.push_back(*holder);
  }
  return holder->execution == execution.number() ? nullptr : &*holder;
}

bool may_begin(const Execution& execution, const SagaSurroundings& around) {
  const bool is_due = execution.begins_at() <= around.now() || is_mutant("saga_start_at_ignored");
  return is_due && !execution.has_begun() && !execution.has_ended() && !execution.is_standing();
}

}  // namespace

bool admit(OwnedShard& shard, SagaSurroundings& around, InHand& in_hand) {
  const bool is_parked = in_hand.is_parked && is_mutant("saga_busy_start_waits");
  const bool has_waited = std::exchange(in_hand.waits_for_key, false) || is_parked;
  const Execution& execution = in_hand.execution;
  if (!may_begin(execution, around)) return false;
  const SagaDefinitionPtr definition = shard.definitions.find(definition_asked_for(execution.start()));
  Draft draft(in_hand.execution, around, in_hand.decided);
  // Plain SQL can write any start. One that no table of keys and no message could carry would stop all turns.
  if (const auto named = check_names(execution.tenant_id(), execution.id(), execution.key()); !named) {
    refuse_start(draft, named.error().message);
    return false;
  }
  const SagaKeyHeld* holder = definition ? take_key(shard, execution) : nullptr;
  if (holder == nullptr) {
    begin(draft, definition);
    return true;
  }
  // One that waits already stays in its place, whatever its definition says by now.
  const SagaOnBusy policy = has_waited ? SagaOnBusy::queue : on_busy(execution.start(), *definition);
  in_hand.waits_for_key = policy == SagaOnBusy::queue;
  if (!in_hand.waits_for_key) refuse_busy(draft, *holder, policy);
  return false;
}

void leave_key(OwnedShard& shard, const Execution& execution) {
  const bool is_kept = execution.ended_as() == SagaState::failed && !is_mutant("saga_key_freed_by_failure");
  if (execution.key().empty() || is_kept || is_mutant("saga_key_is_never_left")) return;
  shard.draft->keys_left.push_back(key_held_by(execution));
  shard.is_due_taken = true;  // Whoever is called is due now.
}

}  // namespace makegood::core
