// The upkeep of sagas, as `stores/sql/saga_upkeep.hpp` has it for tables.
#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "stores/memory/saga_log.hpp"

namespace makegood::memory {
namespace {

/// Counts what has ended below the position. Answers how many rows of the log it has passed.
std::size_t fold(SagaLog& log, const SagaTurn& turn) {
  const Sequence limit = settled(turn.turn.position);
  std::size_t passed = 0;
  for (auto row = log.requests.log.upper_bound(log.folded_to);
       row != log.requests.log.end() && row->first <= limit && passed < turn.upkeep->rows_max; ++row, ++passed) {
    log.folded_to = row->first;
    if (const auto end = log.ends.find(row->first); end != log.ends.end()) count_end(log, end->second, 1);
  }
  return passed;
}

bool may_go(const SagaLog& log, const Message& row, TimePoint before) {
  if (!is_saga_start(row.topic)) return true;
  const auto end = log.ends.find(row.sequence);
  return end != log.ends.end() && end->second.summary.ended_at < before &&
         end->second.summary.state != SagaState::failed;
}

void remove(SagaLog& log, const Message& row) {
  const Sequence number = row.sequence;
  if (is_saga_start(row.topic)) ++log.purged_count;
  log.journal.erase(log.journal.lower_bound({number, 0}), log.journal.lower_bound({number + 1, 0}));
  log.ends.erase(number);
  log.requests.events.erase({std::string(row.tenant_id), std::string(row.event_id)});
  log.requests.log.erase(number);
}

std::size_t purge(SagaLog& log, const SagaTurn& turn, TimePoint before) {
  std::vector<MessagePtr> gone;
  for (const auto& [number, row] : log.requests.log) {
    const bool is_full = gone.size() == turn.upkeep->rows_max;
    if (is_full || number > log.folded_to || row->created_at >= before) break;
    if (number != turn.turn.mark.anchor && may_go(log, *row, before)) gone.push_back(row);
  }
  const std::size_t had_gone = log.purged_count;
  for (const MessagePtr& row : gone) remove(log, *row);
  if (log.purged_count > had_gone) log.purged_before = std::max(log.purged_before.value_or(before), before);
  return gone.size();
}

}  // namespace

void count_end(SagaLog& log, const SagaEnd& end, std::int64_t by) {
  log.summary[class_of(end.summary, end.summary.ended_at.value_or(end.summary.started_at))] += by;
}

void take_back_ends(SagaLog& log, const SagaTurn& turn) {
  for (const Sequence execution : turn.reopened) {
    const auto end = log.ends.find(execution);
    if (execution <= log.folded_to && end != log.ends.end()) count_end(log, end->second, -1);
  }
}

void keep_up(SagaLog& log, const SagaTurn& turn, TimePoint now, Committed& committed) {
  for (const SagaEnd& end : turn.ends) {
    const Sequence execution = end.summary.execution;
    if (execution <= log.folded_to) count_end(log, log.ends.at(execution), 1);
  }
  if (!turn.upkeep) return;
  committed.cleaned = fold(log, turn);
  if (turn.upkeep->retention <= Duration::zero()) return;
  committed.cleaned = std::max(committed.cleaned, purge(log, turn, now - turn.upkeep->retention));
}

SagaStatisticsPage statistics(const SagaLog& log, const SagaStatisticsWanted& wanted) {
  SagaStatisticsPage page{.purged_count = log.purged_count, .purged_before = log.purged_before};
  SagaTotals totals;
  for (const auto& [one, count] : log.summary) {
    if (is_counted(wanted, one)) totals.add(one, count);
  }
  for (auto end = log.ends.upper_bound(log.folded_to); end != log.ends.end(); ++end) {
    const SagaClass one = class_of(end->second.summary, *end->second.summary.ended_at);
    if (is_counted(wanted, one)) totals.add(one, 1);
  }
  const auto is_wanted = [&](std::string_view tenant_id, std::string_view definition) {
    return (wanted.tenant_id.empty() || wanted.tenant_id == tenant_id) &&
           (wanted.definition.empty() || wanted.definition == definition);
  };
  for (const auto& [execution, row] : log.waiting) {
    const SagaSummary& of = row.summary;
    if (is_wanted(of.tenant_id, of.definition)) totals.add_running(of.tenant_id, of.definition, of.version, 1);
  }
  for (const auto& [number, row] : log.requests.log) {
    const bool is_running = is_saga_start(row->topic) && !log.ends.contains(number) && !log.waiting.contains(number);
    if (!is_running || !is_wanted(row->tenant_id, row->topic)) continue;
    totals.add_running(std::string(row->tenant_id), std::string(row->topic), 0, 1);
  }
  totals.put(page, wanted.rows_max);
  return page;
}

}  // namespace makegood::memory
