#include "sim/saga_faults.hpp"

#include <algorithm>
#include <ranges>

namespace makegood::sim {
namespace {

constexpr std::array<std::string_view, saga_fault_count> saga_fault_names = {
    "crashes",   "pauses",   "stops",   "lost_commits", "store_errors", "forgets",    "late_commits", "lost_answers",
    "delays",    "copies",   "outages", "refusals",     "errors",       "callbacks",  "misroutes",    "overloads",
    "operators", "versions", "jumps",   "absences",     "killers",      "stragglers", "keys",         "haste"};

constexpr std::array<std::string_view, saga_site_count> saga_site_names = {
    "saga completed",
    "saga compensated",
    "saga cancelled",
    "saga failed",
    "saga waits for a person",
    "compensation given up",
    "compensation stalled",
    "shard taken over",
    "attempt of a dead owner",
    "request of a dead owner arrives",
    "turn of a saga fenced",
    "commit of a saga in doubt",
    "database forgot turns of sagas",
    "answer by callback",
    "answer after its deadline",
    "compensated again",
    "ended and reopened",
    "action after its compensation refused by a barrier",
    "action carried out after its deadline",
    "compensation without an effect",
    "retry under a new key",
    "step skipped",
    "condition did not hold",
    "approved",
    "rejected",
    "pivot passed",
    "deadline of an execution over",
    "downtime taken off a deadline",
    "step held",
    "start without a definition",
    "begun after its definition was applied",
    "wish of an operator refused",
    "participant asked whether it was done",
    "execution parked",
    "parallel group",
    "execution of an older version",
    "memory full",
    "owners died over a step",
    "owners died over a compensation",
    "event before its step",
    "event of a step that waited for it",
    "event that did not come",
    "time of a wait over",
    "begun at a later time",
    "cancelled before it had begun",
    "attempt with more time after a report",
    "clock set back under executions that wait",
    "execution waits for its key",
    "key passed on",
    "start refused because its key is held",
    "failed execution keeps its key",
    "execution with too many revisions",
    "note at an execution that has ended",
    "execution goes on by another version",
    "step asked for by a message",
    "message of a step expired",
    "child begun",
    "child of a child begun",
    "child undone by its parent",
    "parent of a child that has failed",
    "step repeated for a list",
    "step repeated for an empty list",
    "element of a repeated step undone",
};

}  // namespace

std::string_view to_string(SagaFault fault) { return saga_fault_names.at(static_cast<std::size_t>(fault)); }
std::string_view to_string(SagaSite site) { return saga_site_names.at(static_cast<std::size_t>(site)); }

SagaFaults SagaFaults::all() {
  SagaFaults faults;
  faults.is_on_.fill(true);
  return faults;
}

SagaFaults SagaFaults::draw(Chance& chance) {
  SagaFaults faults;
  for (bool& is_on : faults.is_on_) is_on = chance.one_in(2);
  return faults;
}

std::string SagaFaults::names() const {
  std::string text;
  for (std::size_t index = 0; index < saga_fault_count; ++index) {
    if (is_on_[index]) text.append(text.empty() ? "" : ",").append(saga_fault_names[index]);
  }
  return text.empty() ? "none" : text;
}

std::optional<SagaFaults> saga_faults_from(std::string_view names) {
  if (names == "all") return SagaFaults::all();
  SagaFaults faults;
  if (names == "none") return faults;
  for (const auto part : names | std::views::split(',')) {
    const auto found = std::ranges::find(saga_fault_names, std::string_view(part.begin(), part.end()));
    if (found == saga_fault_names.end()) return std::nullopt;
    faults.set(static_cast<SagaFault>(found - saga_fault_names.begin()), true);
  }
  return faults;
}

void SagaSites::add(const SagaSites& other) {
  for (std::size_t index = 0; index < saga_site_count; ++index) counts_[index] += other.counts_[index];
}

std::vector<SagaSite> SagaSites::missed() const {
  std::vector<SagaSite> missed;
  for (std::size_t index = 0; index < saga_site_count; ++index) {
    if (counts_[index] == 0) missed.push_back(static_cast<SagaSite>(index));
  }
  return missed;
}

}  // namespace makegood::sim
