#include "sim/world.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "sim/mistaken_store.hpp"

namespace makegood::sim {
namespace {

using namespace std::chrono_literals;

const Route events_route{"makegood.*", "fn:c"};
/// Apart from the chance of the others, which stay what they are for each seed.
constexpr std::uint64_t registers_seed = 0x4E61;
constexpr std::uint64_t cancels_seed = 0xCA4C;
constexpr std::uint64_t hangs_seed = 0x4A46;
constexpr std::uint64_t tampering_seed = 0x7A3B;
constexpr std::uint64_t open_ranges_seed = 0x09E4;
constexpr std::uint64_t tenants_seed = 0x7E4A;
constexpr std::uint64_t copies_seed = 0xC0B1'0000'0000;

/// They show only where a log is tampered with, which it is in one world of eight.
bool is_mistake_about_the_log() {
  constexpr std::array mistakes = {"anchor_not_stored", "cleaned_not_stored", "rewind_to_the_counter",
                                   "anchor_is_cleaned", "rewind_leaves_parked"};
  return std::ranges::any_of(mistakes, core::is_mutant);
}

/// Short enough to run out in a run, longer than any run, or none: then every failure counts.
Duration draw_patience(Chance& chance) {
  if (chance.one_in(2)) return 200ms;
  return chance.one_in(6) ? Duration(0) : Duration(72h);
}

Destination draw_destination(std::string name, Chance& chance) {
  constexpr Ordering orderings[] = {Ordering::block, Ordering::block, Ordering::skip, Ordering::block_on_dead};
  return {.name = std::move(name),
          .in_flight_max = 1 + chance.below(8),
          .rate_max = chance.one_in(4) ? 50.0 : 0.0,
          .retry = {.attempts_max = static_cast<std::uint32_t>(1 + chance.below(5)),
                    .base = 20ms,
                    .cap = 500ms,
                    .unreachable_for = draw_patience(chance)},
          .ordering = orderings[chance.below(4)],
          .circuit = {.failures_max = static_cast<std::uint32_t>(chance.one_in(4) ? 0 : 1 + chance.below(5)),
                      .wait_min = 20ms,
                      .wait_max = 200ms}};
}

DispatcherOptions draw_options(Chance& chance) {
  DispatcherOptions options{.lease = 1s};
  for (const char* name : {"fn:a", "fn:b", "fn:c"}) options.destinations.push_back(draw_destination(name, chance));
  options.routes = {{"both.*", "fn:a"}, {"both.*", "fn:b"}, {"one", "fn:a"}};
  if (chance.one_in(2)) options.routes.push_back(events_route);
  options.limits = {.batch_rows_max = 1 + chance.below(8),
                    .batch_bytes_max = 2000 + chance.below(4000),
                    .window_rows_max = 2 + chance.below(24),
                    .window_bytes_max = 20'000,
                    .passed_rows_max = 1 + chance.below(20),
                    .side_lanes_max = 1 + chance.below(8),
                    .parked_max = 2 + chance.below(30),
                    .held_per_key_max = 1 + chance.below(6),
                    .crowded_after = std::chrono::milliseconds(chance.below(60))};
  options.clean_interval = 500ms;
  options.clean = {.retention = chance.one_in(2) ? Duration(2s) : Duration(1h), .rows_max = 1 + chance.below(10)};
  return options;
}

}  // namespace

World::World(Plan plan) : plan_(std::move(plan)), ids_(clock_, plan_.seed), database_(memory::new_database(ids_)) {
  Chance chance(plan_.seed);
  const Faults drawn = Faults::draw(chance);
  faults_ = plan_.faults.value_or(drawn);
  if (!plan_.faults) faults_.set(Fault::registers, Chance(plan_.seed, registers_seed).one_in(2));
  if (!plan_.faults) faults_.set(Fault::cancels, Chance(plan_.seed, cancels_seed).one_in(2));
  if (!plan_.faults) faults_.set(Fault::hangs, Chance(plan_.seed, hangs_seed).one_in(4));
  const bool is_tampered_with = is_mistake_about_the_log() || Chance(plan_.seed, tampering_seed).one_in(8);
  if (!plan_.faults) faults_.set(Fault::tampering, is_tampered_with);
  if (faults_.has(Fault::tampering)) leave_numbers_alone();
  is_registry_in_store_ = faults_.has(Fault::registers);
  operators_ = memory::open_outbox_view(database_, clock_);
  options_ = draw_options(chance);
  if (faults_.has(Fault::tampering)) {  // So that a counter can be set back below what was cleaned.
    options_.clean_interval = 100ms;
    options_.clean.retention = 100ms;
  }
  options_.limits.open_ranges_max = 2 + Chance(plan_.seed, open_ranges_seed).below(10);
  if (Chance tenants(plan_.seed, tenants_seed); tenants.one_in(4)) {
    options_.destinations[tenants.below(3)].tenant_id = "t1";
  }
  for (const Destination& destination : options_.destinations) places_.push_back({destination.name});
  summary_.seed = plan_.seed;
  summary_.faults = faults_;
  DispatcherOptions options = options_;
  if (is_registry_in_store_) {
    ask_to_configure(
        {.destinations = std::exchange(options.destinations, {}), .routes = std::exchange(options.routes, {})});
    options.is_registry_in_store = true;
  }
  const std::size_t node_count = 1 + chance.below(3);
  for (std::size_t index = 0; index < node_count; ++index) {
    auto store = with_mistakes(memory::open_store(database_, clock_, std::string(environment)), database_, clock_);
    nodes_.push_back(std::make_unique<Node>("n" + std::to_string(index), std::move(store), options, chance.next()));
  }
  paused_until_.resize(node_count);
}

World::~World() = default;

Summary World::run() {
  for (; summary_.steps < plan_.steps && checker_.violations().empty(); ++summary_.steps) {
    if (plan_.skipped.contains(summary_.steps)) continue;
    Chance chance(plan_.seed, summary_.steps);
    step(chance);
    if (Chance copies(plan_.seed, copies_seed + summary_.steps); copies.one_in(300)) copy_the_database(copies);
  }
  if (checker_.violations().empty()) come_to_rest();
  settle_accounts();
  return std::move(summary_);
}

void World::step(Chance& chance) {
  const std::size_t what = chance.below(32);
  if (what < 1) return disturb_a_node(chance);
  if (what < 2) return shake_the_database(chance);
  if (what < 4) return operate(chance);
  if (what < 5) return change_the_weather(chance);
  if (what < 8) return produce(chance);
  if (what < 10) return end_a_transaction(chance);
  if (what < 14) return pass_time(chance);
  if (what < 20) return let_one_arrive(chance);
  step_a_node(chance);
}

void World::trace(std::uint64_t what, std::uint64_t detail) {
  constexpr std::uint64_t prime = 1099511628211U;
  summary_.trace = ((summary_.trace ^ what) * prime ^ detail) * prime;
}

std::string World::event_of(Sequence sequence) const {
  const auto written = log_.find(sequence);
  return written == log_.end() ? "number " + std::to_string(sequence) : written->second.event_id;
}

void World::violated(const std::string& sentence, Sequence sequence) {
  const std::string event_id = event_of(sequence);
  checker_.violated(sentence + " (" + event_id + ")", event_id);
}

void World::tell(Sequence sequence, const std::string& what) {
  if (!plan_.watched.empty()) tell(event_of(sequence), what);
}

void World::tell(std::string_view event_id, const std::string& what) {
  if (plan_.watched.empty() || event_id != plan_.watched) return;
  const auto at = std::chrono::duration_cast<std::chrono::milliseconds>(clock_.elapsed).count();
  summary_.story.push_back("step " + std::to_string(summary_.steps) + ", " + std::to_string(at) + " ms: " + what);
}

}  // namespace makegood::sim
