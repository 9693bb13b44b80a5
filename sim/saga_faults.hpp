// What can go wrong in the world of sagas, and the situations that many runs must have met. Each seed switches on a
// random half of the faults.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/chance.hpp"

namespace makegood::sim {

enum class SagaFault : std::uint8_t {
  crashes,       ///< An owner dies.
  pauses,        ///< An owner freezes; what it had released may still leave.
  stops,         ///< An owner gives the shard up.
  lost_commits,  ///< A turn is committed and nobody hears of it.
  store_errors,  ///< A call to the store fails and has no effect.
  forgets,       ///< The database loses its last commits while the owners live on.
  late_commits,  ///< Requests are committed late, or rolled back.
  lost_answers,  ///< A request or its answer is lost.
  delays,        ///< Requests and answers take long.
  copies,        ///< A request arrives twice.
  outages,       ///< Participants cannot be reached.
  refusals,      ///< Participants refuse, in their own words.
  errors,        ///< 500, before or after the effect.
  callbacks,     ///< 202, and the answer comes later.
  misroutes,     ///< A proxy answers instead of the participant.
  overloads,     ///< 429 and 503.
  operators,     ///< Somebody pauses, cancels, retries, skips, resolves …
  versions,      ///< New versions of definitions.
  jumps,         ///< The database's clock jumps.
  absences,      ///< Nobody works for minutes.
  killers,       ///< Some calls kill whoever makes them.
  stragglers,    ///< Some requests arrive when their execution may have ended long ago.
  keys,          ///< Executions that must not run beside each other.
  haste,         ///< An owner decides before all that its requests speak of was read.
};
inline constexpr std::size_t saga_fault_count = 24;
std::string_view to_string(SagaFault fault);

class SagaFaults {
 public:
  static SagaFaults all();
  static SagaFaults draw(Chance& chance);
  bool has(SagaFault fault) const { return is_on_[static_cast<std::size_t>(fault)]; }
  void set(SagaFault fault, bool is_on) { is_on_[static_cast<std::size_t>(fault)] = is_on; }
  std::string names() const;

 private:
  std::array<bool, saga_fault_count> is_on_ = {};
};
/// From a list of names, `all` or `none`; nothing if a name is unknown.
std::optional<SagaFaults> saga_faults_from(std::string_view names);

enum class SagaSite : std::uint8_t {
  completed,
  compensated,
  cancelled,
  failed,
  manual,
  given_up,
  stalled,
  take_over,
  attempt_lost,
  zombie_request,
  fenced_turn,
  unknown_commit,
  database_forgot,
  callback,
  late_answer,
  compensated_again,
  reopened,
  shut_out,
  ran_late,
  empty_compensation,
  new_round,
  skipped,
  condition_false,
  approval,
  rejected,
  pivot_passed,
  deadline_over,
  downtime,
  held,
  no_definition,
  begun_after_apply,
  refused_request,
  checked,
  parked,
  parallel_group,
  old_version,
  memory_full,
  poison,
  poison_undo,
  event_early,
  event_awaited,
  event_expired,
  waited,
  begun_later,
  cancelled_before,
  extended,
  clock_set_back,
  key_awaited,
  key_passed,
  key_refused,
  key_kept,
  too_long,
  annotated,
  repinned,
  bus_step,
  bus_expired,
  child_begun,
  child_of_child,
  child_undone,
  child_failed,
  spread,
  spread_for_nothing,
  item_undone,
};
inline constexpr std::size_t saga_site_count = 63;
std::string_view to_string(SagaSite site);

class SagaSites {
 public:
  void hit(SagaSite site) { ++counts_[static_cast<std::size_t>(site)]; }
  std::uint64_t count(SagaSite site) const { return counts_[static_cast<std::size_t>(site)]; }
  void add(const SagaSites& other);
  std::vector<SagaSite> missed() const;

 private:
  std::array<std::uint64_t, saga_site_count> counts_ = {};
};

}  // namespace makegood::sim
