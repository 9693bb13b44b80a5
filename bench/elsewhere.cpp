#include "bench/elsewhere.hpp"

#include <fmt/format.h>

#include <chrono>
#include <sstream>
#include <thread>

#include "bench/http/child.hpp"
#include "makegood/spi/assert.hpp"

namespace makegood::bench {

void produce_at(int per_second, std::size_t count, Producer& producer,
                const std::function<void(const std::string& event_id, MonotonicTime committed_at)>& committed) {
  const auto began = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < count; ++i) {
    std::this_thread::sleep_until(began + i * std::chrono::microseconds(1'000'000 / per_second));
    const std::string event_id = producer.produce();
    committed(event_id, system_clock().monotonic());
  }
}

std::vector<std::pair<std::string, MonotonicTime>> produce_elsewhere(const Scratch& scratch, int per_second,
                                                                     std::size_t count) {
  auto child = Child::start({beside_this_program("makegood-bench").string(), "--produce", scratch.url(),
                             std::to_string(per_second), std::to_string(count)});
  MAKEGOOD_ASSERT(child.has_value());
  std::istringstream words(child->read_all());
  std::vector<std::pair<std::string, MonotonicTime>> committed;
  std::string event_id;
  for (Duration::rep at = 0; words >> event_id >> at;) committed.emplace_back(event_id, MonotonicTime(Duration(at)));
  MAKEGOOD_ASSERT(committed.size() == count);
  return committed;
}

void produce_and_print(const std::string& store_url, int per_second, std::size_t count) {
  Producer producer(store_url);
  std::string told;
  produce_at(per_second, count, producer, [&](const std::string& event_id, MonotonicTime committed_at) {
    told += fmt::format("{} {}\n", event_id, committed_at.time_since_epoch().count());
  });
  fmt::print("{}", told);
}

}  // namespace makegood::bench
