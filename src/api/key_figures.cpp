#include "api/key_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace makegood::api {
namespace {

constexpr std::array<std::string_view, 5> kinds_of_keys = {"in_flight", "succeeded", "failed", "in_doubt", "expired"};
constexpr std::array conflicts = {ClaimOutcome::busy, ClaimOutcome::mismatch, ClaimOutcome::in_doubt,
                                  ClaimOutcome::last_failed};

void begin_metric(std::string& text, std::string_view name, std::string_view kind, std::string_view help) {
  fmt::format_to(std::back_inserter(text), "# HELP {} {}\n# TYPE {} {}\n", name, help, name, kind);
}

/// Of a label's value in Prometheus' text format; a tenant has no control characters.
std::string label_value(std::string_view text) {
  std::string safe;
  for (const char letter : text) {
    if (letter == '"' || letter == '\\') safe += '\\';
    safe += letter;
  }
  return safe;
}

}  // namespace

void KeyFigures::told(const ClaimAnswer& answer, const std::string& tenant) {
  const ClaimOutcome outcome = answer.outcome;
  if (!answer.result.unopened.empty()) unopened_.fetch_add(1, std::memory_order_relaxed);
  claims_[static_cast<std::size_t>(outcome)].fetch_add(1, std::memory_order_relaxed);
  const bool is_conflict = std::ranges::find(conflicts, outcome) != conflicts.end();
  if (tenants_max_ == 0 || (outcome != ClaimOutcome::hit && !is_conflict)) return;
  const std::scoped_lock lock(mutex_);
  const bool is_named = tenants_.contains(tenant) || tenants_.size() < tenants_max_;
  OfTenant& counts = tenants_[is_named ? tenant : "other"];
  ++(is_conflict ? counts.conflicts : counts.hits);
}

/// One line, or one for each tenant where tenants are a label.
std::string KeyFigures::lines_of(std::string_view name, std::uint64_t all, std::uint64_t OfTenant::* count) const {
  if (tenants_max_ == 0) return fmt::format("{} {}\n", name, all);
  std::string lines;
  const std::scoped_lock lock(mutex_);
  for (const auto& [tenant, counts] : tenants_) {
    fmt::format_to(std::back_inserter(lines), "{}{{tenant=\"{}\"}} {}\n", name, label_value(tenant), counts.*count);
  }
  return lines;
}

void KeyFigures::counted(const KeyCounts& counts) {
  const std::array values = {counts.in_flight, counts.succeeded, counts.failed, counts.in_doubt, counts.expired};
  for (std::size_t i = 0; i < values.size(); ++i) keys_[i] = static_cast<std::uint64_t>(values[i]);
}

std::string KeyFigures::text() const {
  std::string text;
  const auto out = std::back_inserter(text);
  const auto told = [&](ClaimOutcome outcome) { return claims_[static_cast<std::size_t>(outcome)].load(); };
  begin_metric(text, "tx_idempo_claims_total", "counter", "Claims of idempotency keys, by what they were told.");
  for (std::size_t i = 0; i < outcome_count; ++i) {
    const auto outcome = static_cast<ClaimOutcome>(i);
    fmt::format_to(out, "tx_idempo_claims_total{{outcome=\"{}\"}} {}\n", to_string(outcome), told(outcome));
  }
  begin_metric(text, "tx_idempo_hits_total", "counter", "Claims of keys that were finished before.");
  text += lines_of("tx_idempo_hits_total", told(ClaimOutcome::hit), &OfTenant::hits);
  begin_metric(text, "tx_idempo_conflicts_total", "counter", "Claims that were neither fresh nor a hit.");
  std::uint64_t sum = 0;
  for (const ClaimOutcome outcome : conflicts) sum += told(outcome);
  text += lines_of("tx_idempo_conflicts_total", sum, &OfTenant::conflicts);
  begin_metric(text, "tx_idempo_unopened_total", "counter", "Hits whose sealed answer could not be opened here.");
  fmt::format_to(out, "tx_idempo_unopened_total {}\n", unopened_.load());
  begin_metric(text, "tx_idempo_purged_total", "counter", "Keys that were deleted after their time.");
  fmt::format_to(out, "tx_idempo_purged_total {}\n", purged_.load());
  begin_metric(text, "tx_idempo_keys", "gauge", "Keys in the store, by what they are; counted by the purge.");
  for (std::size_t i = 0; i < count_kinds; ++i) {
    fmt::format_to(out, "tx_idempo_keys{{state=\"{}\"}} {}\n", kinds_of_keys[i], keys_[i].load());
  }
  return text;
}

}  // namespace makegood::api
