#include "sim/saga_node.hpp"

#include "base/saga_json.hpp"
#include "core/mutant.hpp"

namespace makegood::sim {

SagaNode::SagaNode(std::string name, SagaDatabase& database, core::ShardOptions options,
                   std::vector<Destination> participants, std::uint64_t seed)
    : name_(std::move(name)), options_(options), participants_(std::move(participants)), store_(database) {
  crash(seed);
}

void SagaNode::crash(std::uint64_t seed) {
  shard_ = std::make_unique<core::Shard>(options_, seed);
  shard_->configure(participants_);
  turn_ = nullptr;
  owner_.clear();
  stage_ = Stage::looking;
  ++life_;
}

void SagaNode::step(MonotonicTime now, SagaCallFault fault) {
  store_.fail_next(SagaCallFault::none);
  fault_ = fault;
  if (!shard_->is_owner()) return take(now);
  if (stage_ == Stage::committing) return commit(now);
  if (stage_ == Stage::supplying) return supply(now);
  look(now);
}

void SagaNode::take(MonotonicTime now) {
  const Owner owner = name_ + "-" + std::to_string(life_) + "-" + std::to_string(++takings_);
  store_.fail_next(fault_);
  auto taken = store_.take(owner, options_.lease, owner_);
  if (!taken || !*taken) return;
  owner_ = owner;
  has_taken_ = true;
  gap_from_ = (*taken)->position.clock;
  store_now_ = (*taken)->now;
  stage_ = Stage::looking;
  shard_->begin(owner, **std::move(taken), now);
}

void SagaNode::look(MonotonicTime now) {
  store_.fail_next(fault_);
  auto found = store_.look(shard_->look_for(now));
  if (!found && found.error().code == Errc::fenced) return lose();
  if (!found) return shard_->look_failed();
  if (found->now - store_now_ > options_.lease) gap_from_ = store_now_;
  store_now_ = found->now;
  shard_->read(*std::move(found), now);
  stage_ = Stage::supplying;
}

void SagaNode::supply(MonotonicTime now) {
  const core::ShardNeeds needs = shard_->needs();
  if (!needs.empty() && !std::exchange(is_hasty_, false)) {
    store_.fail_next(fault_);
    auto supply = fetch(needs);
    if (supply) return shard_->supply(needs, *std::move(supply));
    stage_ = Stage::looking;
    return shard_->look_failed();
  }
  turn_ = shard_->decide(now);
  stage_ = turn_ == nullptr ? Stage::looking : Stage::committing;
}

Result<core::ShardSupply> SagaNode::fetch(const core::ShardNeeds& needs) {
  core::ShardSupply supply;
  for (const auto& [tenant_id, id] : needs.ids) supply.ids.push_back(MAKEGOOD_TRY(store_.find(tenant_id, id)));
  if (!needs.executions.empty()) supply.executions = MAKEGOOD_TRY(store_.load(needs.executions));
  for (const core::DefinitionName& name : needs.definitions) {
    const auto row = MAKEGOOD_TRY(store_.definition(name.name, name.version));
    if (!row) {
      supply.definitions.push_back(nullptr);
      continue;
    }
    auto definition = MAKEGOOD_TRY(decode_saga_definition(row->document));
    definition.name = row->name;
    definition.version = row->version;
    supply.definitions.push_back(std::make_shared<const SagaDefinition>(std::move(definition)));
  }
  for (const auto& [tenant_id, key] : needs.keys) {
    supply.keys.push_back(MAKEGOOD_TRY(store_.key_holder(tenant_id, key)));
  }
  if (needs.unfinished) {
    supply.unfinished =
        MAKEGOOD_TRY(store_.unfinished(needs.unfinished->first, needs.unfinished->second, needs.rows_max));
  }
  if (needs.due_max > 0) supply.due = MAKEGOOD_TRY(store_.due(needs.due_by, needs.due_max));
  if (needs.wants_next_due) supply.next_due = MAKEGOOD_TRY(store_.next_due());
  return supply;
}

void SagaNode::commit(MonotonicTime now) {
  if (fault_ == SagaCallFault::before && core::is_mutant("saga_in_doubt_is_done")) {
    stage_ = Stage::looking;
    const TurnNumber after = std::exchange(turn_, nullptr)->turn.after;
    return shard_->committed({.turn = after}, now);
  }
  store_.fail_next(fault_);
  const auto committed = store_.commit(*turn_);
  if (!committed && committed.error().code == Errc::store_unavailable) return;  // Not written: tried again.
  if (!committed) {
    was_fenced_ = committed.error().code == Errc::fenced;
    was_in_doubt_ = !was_fenced_;
    return lose();
  }
  turn_ = nullptr;
  stage_ = Stage::looking;
  shard_->committed(*committed, now);
}

void SagaNode::lose() {
  turn_ = nullptr;
  stage_ = Stage::looking;
  shard_->forget();
}

}  // namespace makegood::sim
