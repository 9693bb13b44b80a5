// The second phase: nothing fails any more, and every execution ends or waits for a person.
#include <algorithm>
#include <array>
#include <chrono>

#include "sim/saga_world.hpp"

namespace makegood::sim {
namespace {

using namespace std::chrono_literals;

constexpr int rounds_max = 60'000;
constexpr int help_max = 12;
constexpr std::uint64_t seed_of_rest = 0x5EED;
/// Longer than any delay of these worlds; the far ones of their clocks' jumps are longer.
constexpr Duration retry_max = 30s;
/// By then every owner has looked, and noticed what had happened to the clock.
constexpr Duration settling_time = 10s;

}  // namespace

void SagaWorld::come_to_rest() {
  Chance chance(plan_.seed, seed_of_rest);
  faults_ = {};
  backup_.reset();
  std::ranges::fill(paused_until_, MonotonicTime{});
  for (auto& [name, place] : places_) place = {};
  for (SagaFlight& flight : flights_) flight.not_before = {};
  while (!transactions_.empty()) end_a_transaction(chance);
  const MonotonicTime settled_at = now_ + settling_time;
  for (int round = 0; round < rounds_max && checker_.violations().empty(); ++round) {
    for (std::size_t index = 0; index < nodes_.size(); ++index) {
      step_node(index, SagaCallFault::none);
      send(index, chance);
    }
    let_one_arrive(chance);
    deliver(chance);
    call_back(chance);
    participants_now_ = std::max(participants_now_, store_now());
    if (round % 6 != 5) continue;
    if (now_ >= settled_at) {
      check_waits();
      shift_ += participants_now_ - store_now();  // It is set right; until then they refuse what is overdue to them.
    }
    if (is_at_rest()) return;
    if (round % 60 == 59) help(chance);
    now_ += next_leap();
  }
  if (checker_.violations().empty()) checker_.violated("liveness", 0, "it did not come to rest:" + what_is_left());
}

/// No retry lies further ahead than its delay, whatever the clock has done since it was parked.
void SagaWorld::check_waits() {
  for (const auto& [number, row] : database_.tables().parked) {
    const std::string& cause = row.summary.waits_for;
    const bool is_attempt = cause == "retry" || cause == "circuit" || cause == "participant";
    if (is_attempt && row.due_at > store_now() + retry_max) {
      checker_.violated("liveness", number, "its retry waits for the time of a clock that was set back");
    }
  }
}

/// To the next moment at which anything can happen, while nothing is on its way.
Duration SagaWorld::next_leap() const {
  if (!flights_.empty() || !answers_.empty() || !callbacks_.empty() || is_any_to_relay()) return 5ms;
  Duration leap = options_.lease / 3;
  for (const auto& node : nodes_) {
    if (!node->is_owner()) continue;
    leap = std::min(leap, node->next_exchange(now_) - now_);
  }
  return std::max<Duration>(leap, 1ms);
}

bool SagaWorld::waits_for_a_person(const SagaParked& row) {
  const SagaState state = row.summary.state;
  return state == SagaState::manual || state == SagaState::paused || row.summary.waits_for == "approval";
}

bool SagaWorld::is_standing(Sequence number) const {
  std::set<Sequence> asked;
  return is_standing(number, asked);
}

/// Who waits for itself does not stand: it hangs.
bool SagaWorld::is_standing(Sequence number, std::set<Sequence>& asked) const {
  const SagaTables& tables = database_.tables();
  const auto row = tables.parked.find(number);
  if (row == tables.parked.end() || !asked.insert(number).second) return false;
  if (!row->second.key.empty()) {
    const auto held = tables.keys.find({row->second.summary.tenant_id, row->second.key});
    if (held == tables.keys.end() || held->second.execution == number) return false;
    const auto end = tables.ends.find(held->second.execution);
    const bool is_failed = end != tables.ends.end() && end->second.summary.state == SagaState::failed;
    return is_failed || is_standing(held->second.execution, asked);
  }
  if (is_any_child_standing(number, asked)) return true;
  const auto helped = helped_.find(number);
  return waits_for_a_person(row->second) && helped != helped_.end() && helped->second >= help_max;
}

bool SagaWorld::is_any_child_standing(Sequence number, std::set<Sequence>& asked) const {
  const SagaTables& tables = database_.tables();
  const std::string id(tables.log.at(number)->event_id);
  return std::ranges::any_of(tables.starts, [&](const auto& start) {
    const auto parent = core::read_parent(*tables.log.at(start.second));
    return parent && parent->execution == id && is_standing(start.second, asked);
  });
}

bool SagaWorld::is_at_rest() const {
  const SagaTables& tables = database_.tables();
  if (!flights_.empty() || !answers_.empty() || !callbacks_.empty() || is_any_to_relay()) return false;
  if (tables.position.reached < tables.counter) return false;
  // What was committed late is below what was reached, and is read in its turn.
  const auto is_unread = [&](const auto& row) { return tables.position.open.contains(row.first); };
  if (std::ranges::any_of(tables.log, is_unread)) return false;
  return std::ranges::all_of(tables.starts, [&](const auto& start) {
    return tables.ends.contains(start.second) || is_standing(start.second);
  });
}

/// Somebody deals with what waits for a person, a few times; then it is left as it stands.
void SagaWorld::help(Chance& chance) {
  static constexpr std::array verbs = {"resume", "retry", "resolve", "decide", "resolve", "retry", "skip"};
  const auto parked = database_.tables().parked;
  for (const auto& [number, row] : parked) {
    if (row.summary.waits_for == "event") tell_event(number, chance);
    if (!waits_for_a_person(row) || helped_[number]++ >= help_max) continue;
    ask(number, verbs.at(chance.below(verbs.size())), chance);
  }
}

std::string SagaWorld::what_is_left() const {
  const SagaTables& tables = database_.tables();
  std::string text = " flights " + std::to_string(flights_.size()) + ", reached " +
                     std::to_string(tables.position.reached) + " of " + std::to_string(tables.counter);
  for (const auto& [id, number] : tables.starts) {
    if (tables.ends.contains(number) || is_standing(number)) continue;
    const auto row = tables.parked.find(number);
    const bool is_parked = row != tables.parked.end();
    text +=
        ", " + id.second + (is_parked ? " parked " + std::string(to_string(row->second.summary.state)) : " in memory");
  }
  return text;
}

}  // namespace makegood::sim
