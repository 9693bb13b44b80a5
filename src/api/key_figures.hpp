// What is counted of idempotency keys, in Prometheus' text format.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string>

#include "makegood/spi/idempotency_store.hpp"

namespace makegood::api {

/// Written and read by any thread.
class KeyFigures {
 public:
  void told(ClaimOutcome outcome) {
    claims_[static_cast<std::size_t>(outcome)].fetch_add(1, std::memory_order_relaxed);
  }
  void purged(std::size_t count) { purged_.fetch_add(count, std::memory_order_relaxed); }
  void counted(const KeyCounts& counts);
  std::string text() const;

 private:
  using Counter = std::atomic<std::uint64_t>;
  static constexpr std::size_t outcome_count = 6;
  static constexpr std::size_t count_kinds = 5;

  std::array<Counter, outcome_count> claims_ = {};
  std::array<Counter, count_kinds> keys_ = {};
  Counter purged_ = 0;
};

}  // namespace makegood::api
