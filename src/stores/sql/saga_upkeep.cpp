#include "stores/sql/saga_upkeep.hpp"

#include <algorithm>
#include <array>

#include "stores/sql/saga_tables.hpp"

namespace makegood::relational {
namespace {

using namespace std::chrono_literals;

/// What could not go is looked at again so often.
constexpr Duration sweep_interval = 1h;
/// A turn takes a few at most when little is going on.
constexpr std::size_t turns_purged_per_row = 4;

}  // namespace

struct SagaUpkeeper::Purge {
  Numbers starts = {};
  Numbers rows = {};  ///< Of the log: those, and old requests.
  std::size_t looked = 0;
  Sequence looked_to = 0;
  bool is_at_young = false;  ///< What follows is too young.
};

Result<> SagaUpkeeper::prepare(const SagaTurn& turn) {
  taken_back_.clear();
  const bool asks = turn.upkeep || !turn.ends.empty() || !turn.reopened.empty();
  if (asks && !folded_to_) folded_to_ = MAKEGOOD_TRY(database_.one(sql().read_upkeep))->integer(0);
  Numbers counted;
  for (const Sequence execution : turn.reopened) {
    if (execution <= *folded_to_) counted.push_back(execution);
  }
  if (counted.empty()) return {};
  const RowsPtr rows = MAKEGOOD_TRY(database_.query(sql().read_ends, counted));
  while (MAKEGOOD_TRY(rows->next())) taken_back_.push_back({.summary = MAKEGOOD_TRY(read_summary(*rows))});
  return {};
}

bool SagaUpkeeper::has_work(const SagaTurn& turn) const {
  const auto is_late = [this](const SagaEnd& end) { return end.summary.execution <= *folded_to_; };
  return turn.upkeep || !taken_back_.empty() || std::ranges::any_of(turn.ends, is_late);
}

Result<> SagaUpkeeper::write(const SagaTurn& turn, TimePoint at, Committed& committed) {
  if (turn.turn.is_reset) return {};
  MAKEGOOD_TRY(count_late(turn, at));
  if (!turn.upkeep) return {};
  committed.cleaned = MAKEGOOD_TRY(fold(turn));
  if (turn.upkeep->retention <= Duration::zero()) return {};
  committed.cleaned = std::max(committed.cleaned, MAKEGOOD_TRY(purge(turn, at)));
  return {};
}

Result<> SagaUpkeeper::count_late(const SagaTurn& turn, TimePoint at) {
  Counts counts;
  for (const SagaEnd& end : taken_back_) --counts[class_of(end.summary, end.summary.ended_at.value_or(at))];
  for (const SagaEnd& end : turn.ends) {
    if (end.summary.execution <= *folded_to_) ++counts[class_of(end.summary, at)];
  }
  return add(counts);
}

/// Below the position everything has ended or is parked. Answers how many rows of the log it has passed.
Result<std::size_t> SagaUpkeeper::fold(const SagaTurn& turn) {
  const Sequence limit = settled(turn.turn.position);
  const RowsPtr next = MAKEGOOD_TRY(database_.one(sql().newest_to_fold, *folded_to_, limit, turn.upkeep->rows_max));
  if (next->is_null(0)) return std::size_t{0};
  const Sequence end = next->integer(0);
  const std::size_t passed = next->count(1);
  Counts counts;
  const RowsPtr rows = MAKEGOOD_TRY(database_.query(sql().ends_to_fold, *folded_to_, end, passed));
  while (MAKEGOOD_TRY(rows->next())) {
    const SagaSummary summary = MAKEGOOD_TRY(read_summary(*rows));
    ++counts[class_of(summary, summary.ended_at.value_or(summary.started_at))];
  }
  MAKEGOOD_TRY(add(counts));
  MAKEGOOD_TRY(database_.execute(sql().set_folded, end));
  folded_to_ = end;
  return passed;
}

Result<> SagaUpkeeper::add(const Counts& counts) {
  std::vector<Step> steps;
  for (const auto& [one, count] : counts) {
    if (count == 0) continue;
    const std::int64_t hour = one.hour.time_since_epoch() / 1h;
    steps.emplace_back(sql().add_to_summary, hour, one.tenant_id, one.definition, one.version, to_string(one.state),
                       one.took, count);
  }
  if (!steps.empty()) MAKEGOOD_TRY(database_.answered(steps));
  return {};
}

Result<SagaUpkeeper::Purge> SagaUpkeeper::find_purgeable(const SagaTurn& turn, TimePoint before) {
  // The anchor stays: by it is seen that the log is still the same.
  const Sequence anchor = turn.turn.mark.anchor;
  const Sequence limit = anchor > 0 ? std::min(*folded_to_, anchor - 1) : *folded_to_;
  Purge purge{.looked_to = purged_to_};
  const RowsPtr rows = MAKEGOOD_TRY(database_.query(sql().purgeable, purged_to_, limit, turn.upkeep->rows_max));
  while (MAKEGOOD_TRY(rows->next())) {
    // It may have been made by another clock; it only says how far it is worth looking.
    if (rows->time(2) >= before) {
      purge.is_at_young = true;
      break;
    }
    const bool is_start = is_saga_start(rows->text(1));
    const auto ended_at = rows->time_or_null(3);
    const bool may_go = !is_start || (ended_at && *ended_at < before && rows->text(4) != to_string(SagaState::failed));
    ++purge.looked;
    purge.looked_to = rows->integer(0);
    if (!may_go) continue;
    purge.rows.push_back(purge.looked_to);
    if (is_start) purge.starts.push_back(purge.looked_to);
  }
  return purge;
}

/// Answers how many rows of the log it has looked at.
Result<std::size_t> SagaUpkeeper::purge(const SagaTurn& turn, TimePoint at) {
  const TimePoint before = at - turn.upkeep->retention;
  const std::size_t turns_max = turn.upkeep->rows_max * turns_purged_per_row;
  const Purge found = MAKEGOOD_TRY(find_purgeable(turn, before));
  purged_to_ = found.looked_to;
  const bool is_done = found.is_at_young || found.looked < turn.upkeep->rows_max;
  if (is_done && at - swept_at_ >= sweep_interval) {
    purged_to_ = 0;
    swept_at_ = at;
  }
  std::vector<Step> steps = {Step(sql().purge_turns, before, turns_max)};
  if (!found.rows.empty()) steps.emplace_back(sql().purge_log, found.rows);
  if (!found.starts.empty()) {
    steps.emplace_back(sql().purge_journals, found.starts);
    steps.emplace_back(sql().purge_ends, found.starts);
    steps.emplace_back(sql().note_purged, found.starts.size(), before);
  }
  MAKEGOOD_TRY(database_.run(steps));
  return found.looked;
}

}  // namespace makegood::relational
