#include "engine/orchestrated_shard.hpp"

#include <utility>

#include "base/saga_json.hpp"
#include "base/seed.hpp"
#include "engine/no_observer.hpp"
#include "engine/step_delivery.hpp"

namespace makegood::engine {
namespace {

using namespace std::chrono_literals;

/// How often it is asked which destinations are registered.
constexpr Duration participants_interval = 2s;
/// What one exchange needs is found in a few rounds: an id, its execution, its definition.
constexpr int supply_rounds_max = 8;

/// Rows of a step of the upkeep: some milliseconds of a turn.
constexpr std::size_t upkeep_rows_max = 2000;

std::vector<Report> unjudged(std::vector<Report> reports) { return reports; }

/// As an address in a request: who has it may answer this one attempt.
core::CallbackAddress callback_address(const SagaOptions& options) {
  return [&options](const core::Execution& execution, const core::SagaSend& send) {
    return callback_url({.tenant_id = std::string(execution.tenant_id()),
                         .execution = std::string(execution.id()),
                         .step = execution.step(send.step).name,
                         .direction = std::string(core::to_string(send.direction)),
                         .round = send.round,
                         .attempt = send.attempt},
                        options);
  };
}

/// `options` outlive the shard.
core::ShardOptions shard_options(const SagaOptions& options) {
  return {.lease = options.lease,
          .executions_max = options.executions_max,
          .upkeep = SagaUpkeep{.retention = options.retention, .rows_max = upkeep_rows_max},
          .callback = callback_address(options)};
}

}  // namespace

OrchestratedShard::OrchestratedShard(std::unique_ptr<SagaStore> store, std::vector<Transport*> transports,
                                     SagaOptions options, SagaOrchestrator::ParticipantSource participants,
                                     Observer* observer, const Clock& clock, WakeUp& wake_up, Endpoints* endpoints)
    : store_(std::move(store)),
      transports_(std::move(transports)),
      options_(std::move(options)),
      participants_(std::move(participants)),
      observer_(or_nobody(observer)),
      clock_(clock),
      shard_(shard_options(options_), seed_of_the_system(), sharing(endpoints)),
      completions_(wake_up, unjudged) {}

Result<bool> OrchestratedShard::take(const Owner& owner, const Owner& former, MonotonicTime asked_at) {
  auto taken = store_->take(owner, options_.lease, former);
  if (!taken) return taken.error();
  if (!*taken) return false;
  shard_.begin(owner, std::move(**taken), asked_at);
  participants_at_ = {};
  return true;
}

void OrchestratedShard::forget() {
  turn_ = nullptr;
  shard_.forget();
}

/// Without an answer the ones that were known stay.
void OrchestratedShard::ask_for_participants(MonotonicTime now) {
  const bool is_wished = shard_.take_participants_wish();
  if (!is_wished && now < participants_at_) return;
  participants_at_ = now + participants_interval;
  const auto found = participants_ ? participants_() : Result(std::vector<Destination>());
  if (!found) return alarm(found.error());
  shard_.configure(*found);
}

Result<bool> OrchestratedShard::look(MonotonicTime asked_at) {
  ask_for_participants(asked_at);
  auto found = store_->look(shard_.look_for(asked_at));
  if (!found) {
    shard_.look_failed();
    return found.error();
  }
  const bool has_rows = !found->rows.empty();
  shard_.read(std::move(*found), clock_.monotonic());
  // What was read is not decided on: it is read again.
  if (auto supplied = supply(); !supplied) {
    shard_.look_failed();
    return supplied.error();
  }
  turn_ = shard_.decide(clock_.monotonic());
  return has_rows;
}

Result<> OrchestratedShard::supply() {
  for (int round = 0; round < supply_rounds_max; ++round) {
    const core::ShardNeeds needs = shard_.needs();
    if (needs.empty()) return {};
    shard_.supply(needs, MAKEGOOD_TRY(fetch(needs)));
  }
  return {};
}

Result<core::ShardSupply> OrchestratedShard::fetch(const core::ShardNeeds& needs) {
  core::ShardSupply supply;
  for (const auto& [tenant_id, id] : needs.ids) supply.ids.push_back(MAKEGOOD_TRY(store_->find(tenant_id, id)));
  if (!needs.executions.empty()) supply.executions = MAKEGOOD_TRY(store_->load(needs.executions));
  for (const core::DefinitionName& name : needs.definitions) {
    supply.definitions.push_back(MAKEGOOD_TRY(fetch_definition(name)));
  }
  for (const auto& [tenant_id, key] : needs.keys) {
    supply.keys.push_back(MAKEGOOD_TRY(store_->key_holder(tenant_id, key)));
  }
  if (needs.unfinished) {
    const auto& [from, to] = *needs.unfinished;
    supply.unfinished = MAKEGOOD_TRY(store_->unfinished(from, to, needs.rows_max));
  }
  if (needs.due_max > 0) supply.due = MAKEGOOD_TRY(store_->due(needs.due_by, needs.due_max));
  if (needs.wants_next_due) supply.next_due = MAKEGOOD_TRY(store_->next_due());
  return supply;
}

/// One that cannot be read is as one that is not there, and somebody is told.
Result<SagaDefinitionPtr> OrchestratedShard::fetch_definition(const core::DefinitionName& name) {
  const auto row = MAKEGOOD_TRY(store_->definition(name.name, name.version));
  if (!row) return SagaDefinitionPtr();
  auto definition = decode_saga_definition(row->document);
  if (!definition) {
    alarm(definition.error());
    return SagaDefinitionPtr();
  }
  definition->name = row->name;
  definition->version = row->version;
  return SagaDefinitionPtr(std::make_shared<const SagaDefinition>(*std::move(definition)));
}

Result<> OrchestratedShard::commit() {
  const auto committed = store_->commit(*turn_);
  if (!committed) return committed.error();
  turn_ = nullptr;
  shard_.committed(*committed, clock_.monotonic());
  return {};
}

void OrchestratedShard::absorb() {
  for (auto& posted : completions_.take()) shard_.answered(std::move(posted), clock_.monotonic());
}

bool OrchestratedShard::release(MonotonicTime now, const std::shared_ptr<const Lease>& lease) {
  std::vector<core::SagaCallOut> calls = shard_.release(now);
  if (calls.empty()) return false;
  std::vector<Delivery> deliveries;
  deliveries.reserve(calls.size());
  for (core::SagaCallOut& call : calls) deliveries.push_back(step_delivery(std::move(call), options_, lease));
  transports_.send(std::move(deliveries), completions_);
  return true;
}

void OrchestratedShard::ownership_changed(std::string_view what, const Owner& owner) {
  observer_.ownership(options_.log, what, owner);
}

void OrchestratedShard::report() {
  for (const Error& error : shard_.take_alarms()) alarm(error);
  if (const auto news = shard_.take_news(); !news.empty()) observer_.sagas(options_.log, news);
  const core::ShardFigures figures = shard_.figures();
  observer_.saga_figures(options_.log, {.is_owner = figures.is_owner,
                                        .in_memory_count = figures.in_memory,
                                        .in_flight_count = figures.in_flight,
                                        .open_circuit_count = figures.open_circuits,
                                        .upkept_count = shard_.take_upkept()});
}

}  // namespace makegood::engine
