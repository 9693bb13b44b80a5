#include "bench/http/station.hpp"

#include <algorithm>
#include <chrono>
#include <thread>
#include <unordered_map>
#include <utility>

#include "bench/postgres_traces.hpp"
#include "makegood/spi/assert.hpp"

namespace makegood::bench {
namespace {

constexpr auto patience = std::chrono::seconds(60);
constexpr auto glance = std::chrono::milliseconds(50);

double milliseconds(MonotonicTime from, MonotonicTime to) {
  return std::max(0.0, std::chrono::duration<double, std::milli>(to - from).count());
}

constexpr std::size_t slice_count = 5;

}  // namespace

void Slices::add(Steady steady) {
  waits_.push_back(std::move(steady.waits));
  cpu_.push_back(steady.cpu_ms_per_second);
}

double Slices::wait(double share) const {
  std::vector<double> of_slices;
  for (auto waits : waits_) of_slices.push_back(percentile(waits, share));
  return median(of_slices);
}

void Station::start_relay() {
  relay_.emplace(scratch_, std::vector<Line>{{.topic = "bench.*", .url = endpoint_.url("/noted")}}, nobody_);
}

void Station::stop_relay() {
  relay_->stop();
  relay_.reset();
}

Steady Station::drive(int per_second, std::size_t count) {
  const double before = all_cpu_milliseconds(scratch_);
  const Committed committed = produce(per_second, count);
  std::this_thread::sleep_for(glance);  // The last ones are under way.
  const double cpu = all_cpu_milliseconds(scratch_) - before;
  Steady steady{.waits = {}, .cpu_ms_per_second = cpu * per_second / static_cast<double>(count)};
  if (relay_) steady.waits = waits_of(committed);
  return steady;
}

Slices Station::drive_in_slices(int per_second, std::size_t count) {
  Slices slices;
  for (std::size_t slice = 0; slice < slice_count; ++slice) slices.add(drive(per_second, count / slice_count));
  return slices;
}

Station::Committed Station::produce(int per_second, std::size_t count) {
  Committed committed;
  committed.reserve(count);
  const auto began = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < count; ++i) {
    std::this_thread::sleep_until(began + i * std::chrono::microseconds(1'000'000 / per_second));
    std::string event_id = producer_.produce();
    committed.emplace_back(std::move(event_id), system_clock().monotonic());
    // Whoever uses PostgreSQL mostly commits in another process: there the relay has to notice by itself.
    if (relay_ && !scratch_.is_postgres()) relay_->wake();
  }
  return committed;
}

/// All of them arrive, or there is no figure.
std::vector<double> Station::waits_of(const Committed& committed) const {
  std::unordered_map<std::string, MonotonicTime> expected(committed.begin(), committed.end());
  std::vector<double> waits;
  waits.reserve(committed.size());
  for (const auto until = std::chrono::steady_clock::now() + patience; !expected.empty();) {
    for (const Arrival& arrival : endpoint_.arrivals()) {
      const auto found = expected.find(arrival.event_id);
      if (found == expected.end()) continue;
      waits.push_back(milliseconds(found->second, arrival.at));
      expected.erase(found);
    }
    MAKEGOOD_ASSERT(std::chrono::steady_clock::now() < until);
    if (!expected.empty()) std::this_thread::sleep_for(glance);
  }
  return waits;
}

}  // namespace makegood::bench
