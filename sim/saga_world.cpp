#include "sim/saga_world.hpp"

#include <algorithm>
#include <chrono>
#include <functional>

#include "base/saga_json.hpp"
#include "core/mutant.hpp"
#include "sim/saga_definitions.hpp"

namespace makegood::sim {
namespace {

using namespace std::chrono_literals;

constexpr Duration shard_lease = 2s;
constexpr Duration shard_grace = 1s;
constexpr std::uint64_t beginning = 0xB16;

core::ShardOptions draw_shard_options(Chance& chance) {
  return {.lease = shard_lease,
          .executions_max = 2 + chance.below(12),
          .batch_rows_max = 1 + chance.below(6),
          .park_after = 100ms * (1 + chance.below(10)),
          .grace = shard_grace,
          .revisions_max = chance.one_in(6) ? 5 + chance.below(12) : core::saga_revisions_max};
}

std::vector<Destination> draw_participants(Chance& chance) {
  std::vector<Destination> participants;
  for (std::size_t index = 0; index < saga_participant_count; ++index) {
    Destination destination{.name = saga_participant(index), .in_flight_max = 1 + chance.below(8)};
    destination.circuit = {.failures_max = chance.one_in(3) ? 0U : 3U, .wait_min = 200ms, .wait_max = 2s};
    participants.push_back(std::move(destination));
  }
  return participants;
}

SagaFaults faults_of(const SagaPlan& plan) {
  Chance chance(plan.seed);
  SagaFaults drawn = SagaFaults::draw(chance);
  return plan.faults.value_or(drawn);
}

core::ShardOptions options_of(const SagaPlan& plan) {
  Chance chance(plan.seed, beginning);
  return draw_shard_options(chance);
}

}  // namespace

SagaWorld::SagaWorld(SagaPlan plan)
    : plan_(std::move(plan)),
      faults_(faults_of(plan_)),
      options_(options_of(plan_)),
      database_([this] { return store_now(); }),
      checker_(database_, participants_, options_, !faults_.has(SagaFault::jumps)) {
  Chance chance(plan_.seed, beginning + 1);
  summary_.seed = plan_.seed;
  summary_.faults = faults_;
  database_.watch([this](const SagaTurn& turn) { watch(turn); });
  const auto participants = draw_participants(chance);
  const std::size_t drawn = 1 + chance.below(3);
  const std::size_t count = plan_.nodes.value_or(drawn);
  for (std::size_t index = 0; index < count; ++index) {
    nodes_.push_back(
        std::make_unique<SagaNode>("n" + std::to_string(index), database_, options_, participants, chance.next()));
    paused_until_.emplace_back();
  }
  for (const Destination& participant : participants) places_[participant.name] = {};
  for (const char* name : {"c0", "c1"}) {
    children_.push_back(draw_definition(name, children_, chance));
    database_.define(children_.back());
  }
  const std::size_t defined = faults_.has(SagaFault::versions) ? 1 + chance.below(3) : 3;
  for (std::size_t index = 0; index < defined; ++index) {
    database_.define(draw_definition("d" + std::to_string(index), children_, chance));
  }
}

SagaSummary SagaWorld::run() {
  for (current_step_ = 0; current_step_ < plan_.steps && checker_.violations().empty(); ++current_step_) {
    if (plan_.skipped.contains(current_step_)) continue;
    Chance chance(plan_.seed, current_step_);
    step(chance);
  }
  summary_.steps = current_step_;
  if (checker_.violations().empty()) come_to_rest();
  if (checker_.violations().empty()) checker_.at_rest();
  summary_.violations = checker_.violations();
  summary_.culprit = checker_.culprit();
  summary_.simulated = now_.time_since_epoch();
  summary_.execution_count = executions().size();
  return std::move(summary_);
}

void SagaWorld::step(Chance& chance) {
  happen(chance.below(100), chance);
  if (chance.one_in(3)) now_ += 1ms * chance.below(40);
  if (chance.one_in(40)) now_ += 1ms * chance.below(1500);
  participants_now_ = std::max(participants_now_, store_now());
}

void SagaWorld::happen(std::size_t what, Chance& chance) {
  if (what < 45) return step_a_node(chance);
  if (what < 62) return let_one_arrive(chance);
  if (what < 76) return deliver(chance);
  if (what < 80) return call_back(chance);
  if (what < 84) return start(chance);
  if (what < 87) return end_a_transaction(chance);
  if (what < 90) return operate(chance);
  if (what < 93) return disturb(chance);
  if (what < 96) return change_the_weather(chance);
  if (what < 98) return shake_the_database(chance);
  define(chance);
}

void SagaWorld::step_a_node(Chance& chance) {
  const std::size_t index = chance.below(nodes_.size());
  SagaNode& node = *nodes_[index];
  if (is_paused(index)) return;
  const bool is_idle = node.is_owner() && node.is_between_exchanges() && node.next_exchange(now_) > now_;
  if (is_idle && !chance.one_in(3)) return;
  SagaCallFault fault = SagaCallFault::none;
  if (is_luck(SagaFault::store_errors, 12, chance)) fault = SagaCallFault::before;
  if (is_luck(SagaFault::lost_commits, 25, chance)) fault = SagaCallFault::after;
  if (is_luck(SagaFault::haste, 8, chance)) node.hurry();
  step_node(index, fault);
  if (chance.one_in(2) || !faults_.has(SagaFault::pauses)) send(index, chance);
}

void SagaWorld::step_node(std::size_t index, SagaCallFault fault) {
  SagaNode& node = *nodes_[index];
  const Owner before = database_.tables().owner;
  node.step(now_, fault);
  node.assert_consistent();
  if (node.has_taken()) {
    if (!before.empty()) summary_.sites.hit(SagaSite::take_over);
    checker_.taken(node.take_gap().value_or(TimePoint()));
  } else if (const auto gap = node.take_gap()) {
    summary_.sites.hit(SagaSite::downtime);
    checker_.looked(*gap);
  }
  if (node.was_fenced()) summary_.sites.hit(SagaSite::fenced_turn);
  if (node.was_in_doubt()) summary_.sites.hit(SagaSite::unknown_commit);
  const core::ShardFigures figures = node.figures();
  if (figures.in_memory >= options_.executions_max) summary_.sites.hit(SagaSite::memory_full);
  node.take_alarms();
  trace(1, index + figures.in_memory * 8 + figures.in_flight * 1024);
}

/// The same call of the same execution each time.
bool SagaWorld::is_killer(const core::SagaCallOut& call) const {
  if (!faults_.has(SagaFault::killers)) return false;
  const std::string name = std::string(call.start->event_id) + call.step;
  return Chance(plan_.seed, std::hash<std::string>()(name) + static_cast<std::uint64_t>(call.direction)).one_in(16);
}

void SagaWorld::send(std::size_t index, Chance& chance) {
  SagaNode& node = *nodes_[index];
  for (core::SagaCallOut& call : node.release(now_)) {
    const bool kills = is_killer(call);
    const SagaStep* step = checker_.story(call.start->sequence).find(call.step);
    checker_.sent(call, store_now());
    ++summary_.send_count;
    trace(2, call.round * 64 + call.attempt);
    tell(call.start->event_id, node.name() + " sends " + call.key + " attempt " + std::to_string(call.attempt));
    SagaFlight flight{.node = index, .life = node.life(), .call = std::move(call)};
    if (step != nullptr) {
      flight.promise = step->participant;
      flight.has_no_effect = step->has_no_effect;
    }
    if (is_luck(SagaFault::stragglers, 6, chance)) flight.not_before = now_ + 1s * (2 + chance.below(20));
    flights_.push_back(std::move(flight));
    if (kills) return crash(index, chance);  // What it had released beside it does not leave.
  }
}

void SagaWorld::crash(std::size_t index, Chance& chance) {
  nodes_[index]->crash(chance.next());
  paused_until_[index] = now_ + 1ms * chance.below(500);
  ++summary_.crash_count;
  trace(3, index);
}

void SagaWorld::disturb(Chance& chance) {
  const std::size_t index = chance.below(nodes_.size());
  if (is_luck(SagaFault::crashes, 4, chance)) crash(index, chance);
  if (is_luck(SagaFault::pauses, 4, chance)) paused_until_[index] = now_ + 1ms * chance.below(5000);
  if (is_luck(SagaFault::stops, 4, chance)) nodes_[index]->give_up();
  if (!is_luck(SagaFault::absences, 12, chance)) return;
  now_ += 1s * (3 + chance.below(chance.one_in(3) ? 1200 : 20));
}

void SagaWorld::shake_the_database(Chance& chance) {
  if (is_luck(SagaFault::jumps, 8, chance)) {
    // Deadlines wait for a clock that was set back; half an hour of it would only take time here.
    const bool is_far = chance.one_in(4);
    const Duration ahead = is_far ? Duration(30min) : Duration(20s);
    const Duration back = is_far ? Duration(2min) : Duration(20s);
    shift_ += chance.one_in(2) ? ahead : -back;
  }
  if (!faults_.has(SagaFault::forgets)) return;
  if (chance.one_in(3)) backup_ = database_.tables();
  if (backup_ && chance.one_in(6)) forget();
}

/// Definitions are kept: somebody applies them again.
void SagaWorld::forget() {
  const auto journal = database_.tables().journal;
  SagaTables older = *std::exchange(backup_, std::nullopt);
  older.definitions = database_.tables().definitions;
  database_.fall_back(std::move(older));
  SagaTables& tables = database_.tables();
  std::erase_if(tables.drawn, [&](Sequence number) {
    return std::ranges::find(transactions_, number, &Transaction::number) == transactions_.end();
  });
  std::erase_if(transactions_, [&](const Transaction& each) { return !tables.drawn.contains(each.number); });
  checker_.forgot(journal);
  summary_.sites.hit(SagaSite::database_forgot);
  trace(4, tables.journal.size());
}

std::vector<Sequence> SagaWorld::executions() const {
  std::vector<Sequence> numbers;
  for (const auto& [id, number] : database_.tables().starts) numbers.push_back(number);
  std::ranges::sort(numbers);
  return numbers;
}

void SagaWorld::tell(std::string_view id, const std::string& what) {
  if (plan_.watched.empty() || plan_.watched != id) return;
  const auto milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(now_.time_since_epoch()).count();
  summary_.story.push_back("step " + std::to_string(current_step_) + ", " + std::to_string(milliseconds) +
                           " ms: " + what);
}

void SagaWorld::trace(std::uint64_t what, std::uint64_t detail) {
  const auto now = static_cast<std::uint64_t>(now_.time_since_epoch().count());
  for (const std::uint64_t each : {what, detail, now}) summary_.trace = (summary_.trace ^ each) * 1099511628211U;
}

}  // namespace makegood::sim
