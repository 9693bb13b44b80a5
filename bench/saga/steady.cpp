// W11: what ten steps take beyond their own time, and what 100 such executions a second cost.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "bench/asked.hpp"
#include "bench/figure.hpp"
#include "bench/http/bare_client.hpp"
#include "bench/http/endpoint.hpp"
#include "bench/postgres_traces.hpp"
#include "bench/process.hpp"
#include "bench/saga/bare_saga.hpp"
#include "bench/saga/station.hpp"
#include "makegood/spi/assert.hpp"

namespace makegood::bench {
namespace {

constexpr std::size_t steps = 10;
constexpr int per_second = 100;
constexpr std::size_t slice_count = 5;
/// Of two cores, a twentieth.
constexpr double goal_cpu_ms_per_second = 100;

double milliseconds_since(MonotonicTime began) { return seconds_since(began) * 1000; }

/// The disk itself: one page written and synced, in the folder of the measurements.
double fsync_p50() {
  const char* place = std::getenv("MAKEGOOD_BENCH_DIR");
  const std::string path = std::string(place == nullptr ? "." : place) + "/fsync";
  const int file = open(path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
  MAKEGOOD_ASSERT(file >= 0);
  const std::string page(4096, 'p');
  std::vector<double> times;
  for (int i = 0; i < 200; ++i) {
    const auto began = system_clock().monotonic();
    MAKEGOOD_ASSERT(write(file, page.data(), page.size()) == static_cast<ssize_t>(page.size()) && fdatasync(file) == 0);
    times.push_back(milliseconds_since(began));
  }
  close(file);
  unlink(path.c_str());
  return percentile(times, 0.5);
}

/// One execution at a time, beside the commits and requests that it cannot do without.
std::vector<double> bare_waits(BareClient* calls, std::size_t count) {
  const Scratch scratch;
  {
    const SagaStation makes_tables(scratch);
  }
  const auto bare = open_bare_saga(scratch);
  std::vector<double> waits;
  for (std::size_t i = 0; i < count; ++i) {
    const auto began = system_clock().monotonic();
    bare_executions_per_second(*bare, {.in_flight = 1, .steps = steps, .count = 1, .calls = calls});
    waits.push_back(milliseconds_since(began));
  }
  return waits;
}

std::vector<double> waits_of(const std::string& endpoint, std::size_t count) {
  const Scratch scratch;
  SagaStation station(scratch, endpoint);
  station.define(chain_of("ten", steps, endpoint.empty() ? "fn:nothing" : std::string(saga_endpoint) + "/step"));
  station.start();
  station.keep_in_flight("ten", 1, 20);
  return station.keep_in_flight("ten", 1, count).waits;
}

void tell_waits(std::vector<Figure>& figures, const std::string& kind, std::vector<double> ours,
                std::vector<double> bare) {
  const double sync = fsync_p50();
  const double goal = static_cast<double>(steps) * (sync + 1);
  const double p50 = percentile(ours, 0.5);
  figures.push_back({.name = fmt::format("ten {} steps, one execution at a time, p50", kind),
                     .unit = "ms",
                     .value = p50,
                     .limit = percentile(bare, 0.5),
                     .goal = fmt::format("≤ 10 × (fsync + 1 ms) = {:.1f} ms", goal),
                     .is_met = p50 <= goal});
  figures.push_back({.name = fmt::format("ten {} steps, one execution at a time, p99", kind),
                     .unit = "ms",
                     .value = percentile(ours, 0.99),
                     .limit = percentile(bare, 0.99)});
  figures.push_back({.name = "one fsync, p50", .unit = "ms", .value = sync});
}

/// CPU milliseconds per second in each slice of an open loop; the first second is left out.
template <class Drive>
double cpu_per_second(const Scratch& scratch, const Drive& drive) {
  const std::size_t count = std::max<std::size_t>(asked().executions / 20 / slice_count, per_second);
  drive(per_second);
  std::vector<double> slices;
  for (std::size_t slice = 0; slice < slice_count; ++slice) {
    const double before = all_cpu_milliseconds(scratch);
    const auto began = system_clock().monotonic();
    drive(count);
    slices.push_back((all_cpu_milliseconds(scratch) - before) / seconds_since(began));
  }
  return median(slices);
}

/// The starts, and the same requests by a bare client: what is not ours.
double cpu_without(const Endpoint& endpoint) {
  const Scratch scratch;
  SagaStation station(scratch);
  BareClient client(endpoint.url("/step"), steps);
  return cpu_per_second(scratch, [&](std::size_t count) {
    const std::jthread calls([&] {
      const auto began = std::chrono::steady_clock::now();
      for (std::size_t i = 0; i < count; ++i) {
        std::this_thread::sleep_until(began + i * std::chrono::microseconds(1'000'000 / per_second));
        client.send(steps);
      }
    });
    station.begin_at(per_second, "ten", count);
  });
}

double cpu_with(const Endpoint& endpoint) {
  const Scratch scratch;
  SagaStation station(scratch, endpoint.url("/"));
  station.define(chain_of("ten", steps, std::string(saga_endpoint) + "/step"));
  station.start();
  return cpu_per_second(scratch, [&](std::size_t count) { station.begin_at(per_second, "ten", count); });
}

}  // namespace

std::vector<Figure> saga_latency() {
  const std::size_t count = std::max<std::size_t>(asked().executions / 200, 20);
  std::vector<Figure> figures;
  tell_waits(figures, "function", waits_of({}, count), bare_waits(nullptr, count));
  const Endpoint endpoint;
  BareClient calls(endpoint.url("/step"), 1);
  tell_waits(figures, "HTTP", waits_of(endpoint.url("/"), count), bare_waits(&calls, count));
  return figures;
}

std::vector<Figure> saga_cpu() {
  const Endpoint endpoint;
  const double without = cpu_without(endpoint);
  const double ours = cpu_with(endpoint) - without;
  return {{.name = "100 executions of ten HTTP steps a second, CPU of orchestrator and database",
           .unit = "ms per s",
           .value = ours,
           .goal = "≤ 5 % of two cores beyond the starts and the bare requests",
           .is_met = ours <= goal_cpu_ms_per_second},
          {.name = "CPU of the starts and the bare requests", .unit = "ms per s", .value = without}};
}

}  // namespace makegood::bench
