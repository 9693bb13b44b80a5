// Counting executions: how many ended in which way, and how long they took, in classes that add up.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>

#include "makegood/spi/saga_store.hpp"

namespace makegood {

/// Where an execution is counted: by the hour in which it was begun.
struct SagaClass {
  TimePoint hour = {};
  std::string tenant_id = {};
  std::string definition = {};
  std::int64_t version = 0;
  SagaState state = SagaState::completed;
  std::int64_t took = 0;  ///< `took_class`.
  auto operator<=>(const SagaClass&) const = default;
};

/// Four to an octave of milliseconds: 0 is below one, so that a class is at most a fifth wide.
std::int64_t took_class(Duration took);
/// A time in the middle of the class.
Duration middle_of_class(std::int64_t took);
TimePoint hour_of(TimePoint time);
SagaClass class_of(const SagaSummary& summary, TimePoint ended_at);
/// Whether the hour is one of those wanted, and so are tenant and definition.
bool is_counted(const SagaStatisticsWanted& wanted, const SagaClass& one);

/// Adds classes up to one row for each tenant, definition and version.
class SagaTotals {
 public:
  void add(const SagaClass& one, std::int64_t count);
  void add_running(const std::string& tenant_id, const std::string& definition, std::int64_t version,
                   std::size_t count);
  /// Into the page, at most `rows_max`.
  void put(SagaStatisticsPage& page, std::size_t rows_max) const;

 private:
  using Key = std::tuple<std::string, std::string, std::int64_t>;
  struct Total {
    SagaStatistics sum = {};
    std::map<std::int64_t, std::int64_t> took = {};  ///< Of what has completed.
  };
  Total& total_of(const std::string& tenant_id, const std::string& definition, std::int64_t version);

  std::map<Key, Total> totals_;
};

}  // namespace makegood
