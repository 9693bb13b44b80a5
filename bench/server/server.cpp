// What `makegood serve` costs: start, stop, idling, and each call of the enqueue route beside Boost.Beast alone.
#include <fmt/format.h>

#include <chrono>
#include <optional>
#include <thread>

#include "bench/figure.hpp"
#include "bench/http/child.hpp"
#include "bench/server/daemon.hpp"
#include "makegood/assert.hpp"

namespace makegood::bench {
namespace {

constexpr int rounds = 3;
constexpr int idle_seconds = 5;
constexpr double goal_start_seconds = 1;
constexpr double goal_stop_seconds = 2;
constexpr double goal_of_bare = 0.70;
constexpr std::string_view route = "/api/outboxes/makegood_outbox/messages";

/// Requests per second; empty where wrk is not installed. An answer that is no success ends the measurement.
std::optional<double> load(const std::string& url, std::size_t connections) {
  auto child = Child::start({"wrk", "--threads", "1", "--connections", std::to_string(connections), "--duration", "3s",
                             "--script", beside_this_program("enqueue.lua").string(), url});
  if (!child) return std::nullopt;
  const std::string report = child->read_all();
  MAKEGOOD_ASSERT(report.find("Non-2xx") == std::string::npos);
  constexpr std::string_view label = "Requests/sec:";
  const std::size_t place = report.find(label);
  MAKEGOOD_ASSERT(place != std::string::npos);
  return std::stod(report.substr(place + label.size()));
}

std::vector<Figure> life() {
  std::vector<double> starts;
  std::vector<double> stops;
  double megabytes = 0;
  double cpu_per_second = 0;
  for (int round = 0; round < rounds; ++round) {
    const Scratch scratch;
    Daemon daemon(scratch);
    starts.push_back(daemon.start_seconds() * 1000);
    std::this_thread::sleep_for(std::chrono::seconds(1));
    if (round == 0) {
      const double before = daemon.cpu_milliseconds();
      std::this_thread::sleep_for(std::chrono::seconds(idle_seconds));
      cpu_per_second = (daemon.cpu_milliseconds() - before) / idle_seconds;
      megabytes = daemon.resident_megabytes();
    }
    stops.push_back(daemon.stop_seconds() * 1000);
  }
  return {{.name = "serve, start",
           .unit = "ms",
           .value = median(starts),
           .goal = "≤ 1 s",
           .is_met = median(starts) <= goal_start_seconds * 1000},
          {.name = "serve, stop when idle",
           .unit = "ms",
           .value = median(stops),
           .goal = "≤ 2 s",
           .is_met = median(stops) <= goal_stop_seconds * 1000},
          {.name = "serve, idle", .unit = "MiB", .value = megabytes},
          {.name = "serve, idle", .unit = "ms CPU per s", .value = cpu_per_second}};
}

/// Of the same round, because the machine may be slower in another one. The relay is off: what is measured is the
/// route, with a durable commit, and not what becomes of the messages.
std::vector<Figure> requests(std::size_t connections) {
  auto bare = Child::start({beside_this_program("makegood-bench-beast").string()});
  MAKEGOOD_ASSERT(bare.has_value());
  const std::string bare_url = bare->read_line() + std::string(route);
  std::vector<double> ours;
  std::vector<double> limits;
  std::vector<double> shares;
  std::vector<double> cpu;
  for (int round = 0; round < rounds; ++round) {
    const Scratch scratch;
    Daemon daemon(scratch, {"--set", "tx.outbox.enabled=false"});
    const auto limit = load(bare_url, connections);
    const double cpu_before = daemon.cpu_milliseconds();
    const auto rate = load(daemon.url() + std::string(route), connections);
    if (!limit || !rate) return {};
    cpu.push_back((daemon.cpu_milliseconds() - cpu_before) / (*rate * 3) * 1000);
    ours.push_back(*rate);
    limits.push_back(*limit);
    shares.push_back(*rate / *limit);
  }
  return {
      {.name = fmt::format("enqueue route, {} connections", connections),
       .unit = "requests/s",
       .value = median(ours),
       .limit = median(limits),
       .goal = "≥ 70 % of bare Beast",
       .is_met = median(shares) >= goal_of_bare},
      {.name = fmt::format("CPU of it, {} connections", connections), .unit = "ms per 1,000", .value = median(cpu)}};
}

}  // namespace

std::vector<Figure> server() {
  std::vector<Figure> figures = life();
  for (const std::size_t connections : {64U, 256U}) {
    for (Figure& figure : requests(connections)) figures.push_back(std::move(figure));
  }
  return figures;
}

}  // namespace makegood::bench
