// W6 over HTTP: an open loop at a fixed rate; from the commit's return until the endpoint has the whole request.
#include <fmt/format.h>

#include <chrono>
#include <thread>
#include <tuple>
#include <unordered_map>

#include "bench/bare.hpp"
#include "bench/figure.hpp"
#include "bench/finish.hpp"
#include "bench/http/bare_client.hpp"
#include "bench/http/endpoint.hpp"
#include "bench/http/relay.hpp"
#include "bench/producer.hpp"
#include "makegood/assert.hpp"

namespace makegood::bench {
namespace {

constexpr double goal_p50_ms = 1;
constexpr double goal_p99_ms = 8;

double milliseconds(MonotonicTime from, MonotonicTime to) {
  return std::max(0.0, std::chrono::duration<double, std::milli>(to - from).count());
}

/// The first second is not counted: the relay is still starting.
std::vector<double> open_loop(int per_second, std::size_t counted) {
  const auto uncounted = static_cast<std::size_t>(per_second);
  const std::size_t count = uncounted + counted;
  const Scratch scratch;
  const Endpoint endpoint;
  Finish finish(count);
  Relay relay(scratch, {{.topic = "bench.*", .url = endpoint.url("/noted")}}, finish);
  Producer producer(scratch);
  std::unordered_map<std::string, MonotonicTime> committed;
  const auto began = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < count; ++i) {
    std::this_thread::sleep_until(began + i * std::chrono::microseconds(1'000'000 / per_second));
    const std::string event_id = producer.produce();
    if (i >= uncounted) committed[event_id] = system_clock().monotonic();
    relay.wake();
  }
  finish.wait();
  relay.stop();
  std::vector<double> waits;
  for (const Arrival& arrival : endpoint.arrivals()) {
    const auto found = committed.find(arrival.event_id);
    if (found != committed.end()) waits.push_back(milliseconds(found->second, arrival.at));
  }
  MAKEGOOD_ASSERT(waits.size() >= counted);
  return waits;
}

/// What nobody can be faster than: the reader is there already, reads the row, appends a turn, and sends on a
/// connection that is there too.
std::vector<double> send_at_once(std::size_t count) {
  const Scratch scratch;
  const Endpoint endpoint;
  preload(scratch, 0);
  Producer producer(scratch);
  Bare reader(scratch.database());
  BareClient client(endpoint.url("/noted"), 1);
  client.send(1);
  std::ignore = endpoint.arrivals();
  std::vector<MonotonicTime> committed;
  for (std::size_t i = 0; i < count; ++i) {
    producer.produce();
    committed.push_back(system_clock().monotonic());
    MAKEGOOD_ASSERT(reader.read_and_append(500) == 1);
    client.send(1);
  }
  const auto arrivals = endpoint.arrivals();
  MAKEGOOD_ASSERT(arrivals.size() == count);
  std::vector<double> waits;
  waits.reserve(count);
  for (std::size_t i = 0; i < count; ++i) waits.push_back(milliseconds(committed[i], arrivals[i].at));
  return waits;
}

std::vector<Figure> steady(int per_second, std::size_t count) {
  auto ours = open_loop(per_second, count);
  auto bare = send_at_once(500);
  const auto figure = [&](std::string_view name, double share) {
    return Figure{.name = fmt::format("commit → request received at {}/s, {}", per_second, name),
                  .unit = "ms",
                  .value = percentile(ours, share),
                  .limit = percentile(bare, share)};
  };
  std::vector<Figure> figures = {figure("p50", 0.50), figure("p99", 0.99)};
  if (per_second != 100) return figures;
  figures.front().goal = "≤ 1 ms";
  figures.front().is_met = figures.front().value <= goal_p50_ms;
  figures.back().goal = "≤ 8 ms";
  figures.back().is_met = figures.back().value <= goal_p99_ms;
  return figures;
}

}  // namespace

std::vector<Figure> http_latency_100() { return steady(100, 1000); }
std::vector<Figure> http_latency_1000() { return steady(1000, 5000); }

}  // namespace makegood::bench
