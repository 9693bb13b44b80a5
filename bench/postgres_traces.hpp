// What PostgreSQL has had to do. Nothing where another store is measured.
#pragma once

#include <vector>

#include "bench/figure.hpp"
#include "bench/scratch.hpp"

namespace makegood::bench {

class PostgresTraces {
 public:
  explicit PostgresTraces(const Scratch& scratch);
  /// Commits, WAL and dead rows since then, for so many messages.
  std::vector<Figure> since(std::size_t count) const;
  /// Commits, row versions and WAL since then, for so many executions of sagas, and what is dead of their tables.
  std::vector<Figure> of_executions(std::size_t count) const;

 private:
  const Scratch& scratch_;
  double commits_ = 0;
  double wal_bytes_ = 0;
  double row_versions_ = 0;
};

/// Of the server and all its processes, until now. None where another store is measured.
double postgres_cpu_milliseconds(const Scratch& scratch);
/// With that of this process.
double all_cpu_milliseconds(const Scratch& scratch);

}  // namespace makegood::bench
