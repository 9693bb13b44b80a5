// A client of the same PostgreSQL database that has nothing to do with the outbox: what it waits is what we cost
// others.
#pragma once

#include <thread>
#include <vector>

#include "bench/postgres_session.hpp"
#include "bench/scratch.hpp"

namespace makegood::bench {

/// Changes a row of a large table of its own, fifty times a second, until it is asked.
class Bystander {
 public:
  explicit Bystander(const Scratch& scratch);
  /// Milliseconds of each of its transactions. Ends it.
  std::vector<double> waits();

 private:
  void run(const std::stop_token& stop);

  PostgresSession session_;
  std::vector<double> waits_;
  std::jthread thread_;
};

}  // namespace makegood::bench
