// What PostgreSQL's own benchmark gets out of the same server.
#pragma once

#include <cstddef>
#include <optional>

#include "bench/scratch.hpp"

namespace makegood::bench {

/// Transactions of one INSERT, per second. Empty where pgbench is not installed.
std::optional<double> commits_by_pgbench(const Scratch& scratch, std::size_t clients);

}  // namespace makegood::bench
