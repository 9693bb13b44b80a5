#include "base/saga_statistics.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>

namespace makegood {
namespace {

constexpr double classes_per_octave = 4;
constexpr double half = 0.5;

void count(SagaStatistics& sum, SagaState state, std::int64_t by) {
  const auto add = [by](std::size_t& figure) { figure += static_cast<std::size_t>(by); };
  if (state == SagaState::completed) add(sum.completed);
  if (state == SagaState::compensated) add(sum.compensated);
  if (state == SagaState::failed) add(sum.failed);
  if (state == SagaState::cancelled) add(sum.cancelled);
}

/// Below which this share of them took no longer.
std::optional<Duration> quantile(const std::map<std::int64_t, std::int64_t>& took, double share) {
  std::int64_t all = 0;
  for (const auto& [one, times] : took) all += times;
  const auto rank = static_cast<std::int64_t>(std::ceil(static_cast<double>(all) * share));
  std::int64_t passed = 0;
  for (const auto& [one, times] : took) {
    passed += times;
    if (times > 0 && passed >= rank) return middle_of_class(one);
  }
  return std::nullopt;
}

std::size_t size_of(const SagaStatistics& row) {
  return row.running + row.completed + row.compensated + row.failed + row.cancelled;
}

}  // namespace

std::int64_t took_class(Duration took) {
  const double milliseconds = std::chrono::duration<double, std::milli>(took).count();
  if (milliseconds < 1) return 0;
  return 1 + static_cast<std::int64_t>(std::floor(std::log2(milliseconds) * classes_per_octave));
}

Duration middle_of_class(std::int64_t took) {
  if (took <= 0) return std::chrono::duration_cast<Duration>(std::chrono::duration<double, std::milli>(half));
  const double milliseconds = std::exp2((static_cast<double>(took - 1) + half) / classes_per_octave);
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double, std::milli>(milliseconds));
}

TimePoint hour_of(TimePoint time) { return std::chrono::floor<std::chrono::hours>(time); }

SagaClass class_of(const SagaSummary& summary, TimePoint ended_at) {
  return {.hour = hour_of(summary.started_at),
          .tenant_id = summary.tenant_id,
          .definition = summary.definition,
          .version = summary.version,
          .state = summary.state,
          .took = took_class(ended_at - summary.started_at)};
}

bool is_counted(const SagaStatisticsWanted& wanted, const SagaClass& one) {
  return (wanted.tenant_id.empty() || wanted.tenant_id == one.tenant_id) &&
         (wanted.definition.empty() || wanted.definition == one.definition) &&
         (!wanted.from || one.hour >= hour_of(*wanted.from)) && (!wanted.until || one.hour < *wanted.until);
}

SagaTotals::Total& SagaTotals::total_of(const std::string& tenant_id, const std::string& definition,
                                        std::int64_t version) {
  Total& total = totals_[{tenant_id, definition, version}];
  total.sum.tenant_id = tenant_id;
  total.sum.definition = definition;
  total.sum.version = version;
  return total;
}

void SagaTotals::add(const SagaClass& one, std::int64_t by) {
  Total& total = total_of(one.tenant_id, one.definition, one.version);
  count(total.sum, one.state, by);
  if (one.state == SagaState::completed) total.took[one.took] += by;
}

void SagaTotals::add_running(const std::string& tenant_id, const std::string& definition, std::int64_t version,
                             std::size_t by) {
  total_of(tenant_id, definition, version).sum.running += by;
}

void SagaTotals::put(SagaStatisticsPage& page, std::size_t rows_max) const {
  for (const auto& [key, total] : totals_) {
    if (size_of(total.sum) == 0) continue;
    page.items.push_back(total.sum);
    page.items.back().median = quantile(total.took, half);
    page.items.back().p99 = quantile(total.took, 0.99);
  }
  std::ranges::stable_sort(page.items, std::ranges::greater(), size_of);
  if (page.items.size() <= rows_max) return;
  page.items.resize(rows_max);
  page.is_complete = false;
}

}  // namespace makegood
