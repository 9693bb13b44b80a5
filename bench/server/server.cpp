// What `makegood serve` costs: start, stop, idling, and each call of the enqueue route beside Boost.Beast, which
// stores a row for it with the bare library of the database.
#include <fmt/format.h>

#include <chrono>
#include <functional>
#include <optional>
#include <thread>

#include "bench/figure.hpp"
#include "bench/http/child.hpp"
#include "bench/server/daemon.hpp"
#include "makegood/spi/assert.hpp"

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

/// The bare library, as it is; with a store, a row is put there for each request as the database's library does it.
class BareServer {
 public:
  explicit BareServer(std::vector<std::string> store = {}) : child_(started(std::move(store))) {
    url_ = child_.read_line() + std::string(route);
  }
  const std::string& url() const { return url_; }

 private:
  static Child started(std::vector<std::string> words) {
    words.insert(words.begin(), beside_this_program("makegood-bench-beast").string());
    auto child = Child::start(std::move(words));
    MAKEGOOD_ASSERT(child.has_value());
    return std::move(*child);
  }

  Child child_;
  std::string url_;
};

struct Round {
  double rate, alone, storing, cpu;
};

/// Of the same round, because the machine may be slower in another one. The relay is off: what is measured is the
/// route, with a durable commit, and not what becomes of the messages.
std::optional<Round> measure(std::size_t connections) {
  const Scratch scratch;
  Daemon daemon(scratch, {"--set", "tx.outbox.enabled=false"});
  const Scratch bare_scratch;
  preload(bare_scratch, 0);  // Makes the tables.
  const BareServer bare;
  const BareServer bare_storing({bare_scratch.url()});
  const auto alone = load(bare.url(), connections);
  const auto storing = load(bare_storing.url(), connections);
  const double cpu_before = daemon.cpu_milliseconds();
  const auto rate = load(daemon.url() + std::string(route), connections);
  if (!alone || !storing || !rate) return std::nullopt;
  return Round{*rate, *alone, *storing, (daemon.cpu_milliseconds() - cpu_before) / (*rate * 3) * 1000};
}

template <class Value>
double median_of(const std::vector<Round>& all, Value value) {
  std::vector<double> values;
  for (const Round& round : all) values.push_back(std::invoke(value, round));
  return median(values);
}

std::vector<Figure> requests(std::size_t connections) {
  std::vector<Round> all;
  for (int round = 0; round < rounds; ++round) {
    const auto measured = measure(connections);
    if (!measured) return {};
    all.push_back(*measured);
  }
  const double share = median_of(all, [](const Round& round) { return round.rate / round.storing; });
  return {{.name = fmt::format("enqueue route, {} connections", connections),
           .unit = "requests/s",
           .value = median_of(all, &Round::rate),
           .limit = median_of(all, &Round::storing),
           .goal = "≥ 70 % of bare Beast and the bare database",
           .is_met = share >= goal_of_bare},
          {.name = fmt::format("bare Beast that stores nothing, {} connections", connections),
           .unit = "requests/s",
           .value = median_of(all, &Round::alone)},
          {.name = fmt::format("CPU of it, {} connections", connections),
           .unit = "ms per 1,000",
           .value = median_of(all, &Round::cpu)}};
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
