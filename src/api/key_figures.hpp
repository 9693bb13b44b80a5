// What is counted of idempotency keys, in Prometheus' text format.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "makegood/spi/idempotency_store.hpp"

namespace makegood::api {

/// Written and read by any thread.
class KeyFigures {
 public:
  /// So many tenants are a label of their own; the others share `other`. 0: tenants are no label.
  explicit KeyFigures(std::size_t tenants_max = 0) : tenants_max_(tenants_max) {}

  void told(const ClaimAnswer& answer, const std::string& tenant);
  void purged(std::size_t count) { purged_.fetch_add(count, std::memory_order_relaxed); }
  void counted(const KeyCounts& counts);
  std::string text() const;

 private:
  using Counter = std::atomic<std::uint64_t>;
  static constexpr std::size_t outcome_count = 6;
  static constexpr std::size_t count_kinds = 5;

  struct OfTenant {
    std::uint64_t hits = 0;
    std::uint64_t conflicts = 0;
  };
  std::string lines_of(std::string_view name, std::uint64_t all, std::uint64_t OfTenant::* count) const;

  const std::size_t tenants_max_;
  mutable std::mutex mutex_;
  std::map<std::string, OfTenant> tenants_;  ///< Guarded by mutex_.
  std::array<Counter, outcome_count> claims_ = {};
  std::array<Counter, count_kinds> keys_ = {};
  Counter purged_ = 0;
  Counter unopened_ = 0;
};

}  // namespace makegood::api
