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
#include "bench/postgres_traces.hpp"
#include "bench/process.hpp"
#include "bench/producer.hpp"
#include "makegood/assert.hpp"

namespace makegood::bench {
namespace {

struct Goals {
  double p50_ms;
  double p99_ms;
};
constexpr Goals goals_of_sqlite{1, 8};
constexpr Goals goals_of_postgres{3, 15};
/// Of two cores, a twentieth; the producer's share is in it.
constexpr double goal_cpu_ms_per_second = 100;

struct Steady {
  std::vector<double> waits;
  double cpu_ms_per_second = 0;  ///< Of this process and the database server.
};

double milliseconds(MonotonicTime from, MonotonicTime to) {
  return std::max(0.0, std::chrono::duration<double, std::milli>(to - from).count());
}

/// The first second is not counted: the relay is still starting.
Steady open_loop(int per_second, std::size_t counted) {
  const auto uncounted = static_cast<std::size_t>(per_second);
  const std::size_t count = uncounted + counted;
  const Scratch scratch;
  const Endpoint endpoint;
  Finish finish(count);
  Relay relay(scratch, {{.topic = "bench.*", .url = endpoint.url("/noted")}}, finish);
  Producer producer(scratch);
  std::unordered_map<std::string, MonotonicTime> committed;
  double cpu = 0;
  const auto began = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < count; ++i) {
    std::this_thread::sleep_until(began + i * std::chrono::microseconds(1'000'000 / per_second));
    if (i == uncounted) cpu = cpu_milliseconds() + postgres_cpu_milliseconds(scratch);
    const std::string event_id = producer.produce();
    if (i >= uncounted) committed[event_id] = system_clock().monotonic();
    // Whoever uses PostgreSQL mostly commits in another process: there the relay has to notice by itself.
    if (!scratch.is_postgres()) relay.wake();
  }
  finish.wait();
  cpu = cpu_milliseconds() + postgres_cpu_milliseconds(scratch) - cpu;
  relay.stop();
  Steady steady{.waits = {}, .cpu_ms_per_second = cpu * per_second / static_cast<double>(counted)};
  for (const Arrival& arrival : endpoint.arrivals()) {
    const auto found = committed.find(arrival.event_id);
    if (found != committed.end()) steady.waits.push_back(milliseconds(found->second, arrival.at));
  }
  MAKEGOOD_ASSERT(steady.waits.size() >= counted);
  return steady;
}

/// What nobody can be faster than: the reader is there already, reads the row, appends a turn, and sends on a
/// connection that is there too.
std::vector<double> send_at_once(std::size_t count) {
  const Scratch scratch;
  const Endpoint endpoint;
  preload(scratch, 0);
  Producer producer(scratch);
  const auto reader = open_bare(scratch);
  BareClient client(endpoint.url("/noted"), 1);
  client.send(1);
  std::ignore = endpoint.arrivals();
  std::vector<MonotonicTime> committed;
  for (std::size_t i = 0; i < count; ++i) {
    producer.produce();
    committed.push_back(system_clock().monotonic());
    MAKEGOOD_ASSERT(reader->read_and_append(500) == 1);
    client.send(1);
  }
  const auto arrivals = endpoint.arrivals();
  MAKEGOOD_ASSERT(arrivals.size() == count);
  std::vector<double> waits;
  waits.reserve(count);
  for (std::size_t i = 0; i < count; ++i) waits.push_back(milliseconds(committed[i], arrivals[i].at));
  return waits;
}

void set_goal(Figure& figure, double goal_ms) {
  figure.goal = fmt::format("≤ {:.0f} ms", goal_ms);
  figure.is_met = figure.value <= goal_ms;
}

std::vector<Figure> steady(int per_second, std::size_t count) {
  Steady ours = open_loop(per_second, count);
  auto bare = send_at_once(500);
  const auto figure = [&](std::string_view name, double share) {
    return Figure{.name = fmt::format("commit → request received at {}/s, {}", per_second, name),
                  .unit = "ms",
                  .value = percentile(ours.waits, share),
                  .limit = percentile(bare, share)};
  };
  std::vector<Figure> figures = {figure("p50", 0.50), figure("p99", 0.99)};
  if (per_second != 100) return figures;
  const bool is_postgres = Scratch::measured() == Scratch::Kind::postgres;
  const Goals goals = is_postgres ? goals_of_postgres : goals_of_sqlite;
  set_goal(figures.front(), goals.p50_ms);
  set_goal(figures.back(), goals.p99_ms);
  if (!is_postgres) return figures;
  figures.push_back({.name = fmt::format("CPU of relay, producer and database at {}/s", per_second),
                     .unit = "ms per s",
                     .value = ours.cpu_ms_per_second,
                     .goal = "≤ 5 % of two cores",
                     .is_met = ours.cpu_ms_per_second <= goal_cpu_ms_per_second});
  return figures;
}

}  // namespace

std::vector<Figure> http_latency_100() { return steady(100, 1000); }
std::vector<Figure> http_latency_1000() { return steady(1000, 5000); }

}  // namespace makegood::bench
