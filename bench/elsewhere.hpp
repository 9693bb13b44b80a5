// A producer in a process of its own, of which the relay knows nothing.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "bench/producer.hpp"
#include "bench/scratch.hpp"
#include "makegood/clock.hpp"

namespace makegood::bench {

/// An open loop in this process. Calls back after each commit.
void produce_at(int per_second, std::size_t count, Producer& producer,
                const std::function<void(const std::string& event_id, MonotonicTime committed_at)>& committed);

/// The same in another process, which has the same clock; returns when it has ended.
std::vector<std::pair<std::string, MonotonicTime>> produce_elsewhere(const Scratch& scratch, int per_second,
                                                                     std::size_t count);
/// What that process does: prints event ids and when they were committed.
void produce_and_print(const std::string& store_url, int per_second, std::size_t count);

}  // namespace makegood::bench
