// W6 over HTTP: an open loop at a fixed rate; from the commit's return until the endpoint has the whole request.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <tuple>

#include "bench/bare.hpp"
#include "bench/figure.hpp"
#include "bench/http/bare_client.hpp"
#include "bench/http/endpoint.hpp"
#include "bench/http/station.hpp"
#include "bench/postgres_session.hpp"
#include "bench/producer.hpp"
#include "makegood/spi/assert.hpp"

namespace makegood::bench {
namespace {

struct Goals {
  double p50_ms;
  double p99_ms;
};
constexpr Goals goals_of_sqlite{1, 8};
constexpr Goals goals_of_postgres{3, 15};
/// Of two cores, a twentieth.
constexpr double goal_cpu_ms_per_second = 100;

double milliseconds(MonotonicTime from, MonotonicTime to) {
  return std::max(0.0, std::chrono::duration<double, std::milli>(to - from).count());
}

enum class Notices { by_asking, by_being_told };

/// What is enqueued in the first second is not counted: the relay is still starting.
Slices relayed(int per_second, std::size_t count, Notices how) {
  const Scratch scratch;
  preload(scratch, 0);  // Makes the tables.
  if (how == Notices::by_being_told) PostgresSession(scratch.url()).run("SELECT makegood_outbox_wake_up(true)");
  Station station(scratch);
  station.start_relay();
  station.drive(per_second, static_cast<std::size_t>(per_second));
  Slices slices = station.drive_in_slices(per_second, count);
  station.stop_relay();
  return slices;
}

double cpu_of_producer(int per_second, std::size_t count) {
  const Scratch scratch;
  preload(scratch, 0);
  Station station(scratch);
  station.drive(per_second, static_cast<std::size_t>(per_second));
  return station.drive_in_slices(per_second, count).cpu_ms_per_second();
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

std::vector<Figure> waits_of(const Slices& ours, std::vector<double>& bare, const std::string& name) {
  const auto figure = [&](std::string_view which, double share) {
    return Figure{.name = fmt::format("{}, {}", name, which),
                  .unit = "ms",
                  .value = ours.wait(share),
                  .limit = percentile(bare, share)};
  };
  return {figure("p50", 0.50), figure("p99", 0.99)};
}

void set_goals(std::vector<Figure>& figures, const Goals& goals) {
  set_goal(figures.front(), goals.p50_ms);
  set_goal(figures.back(), goals.p99_ms);
}

/// What the producer and its share of the server take is taken off.
Figure cpu_beyond(double producer, const Slices& ours, const std::string& name) {
  const double beyond = ours.cpu_ms_per_second() - producer;
  return {.name = fmt::format("{}, CPU of relay and database", name),
          .unit = "ms per s",
          .value = beyond,
          .goal = "≤ 5 % of two cores beyond the producer's own",
          .is_met = beyond <= goal_cpu_ms_per_second};
}

std::vector<Figure> steady_on_postgres(int per_second, std::size_t count, std::vector<double>& bare) {
  const double producer = cpu_of_producer(per_second, count);
  std::vector<Figure> all = {
      {.name = fmt::format("CPU of the producer and its share of the database, {}/s", per_second),
       .unit = "ms per s",
       .value = producer}};
  for (const Notices how : {Notices::by_asking, Notices::by_being_told}) {
    const std::string name = fmt::format("commit → request at {}/s, {}", per_second,
                                         how == Notices::by_asking ? "asking" : "woken by NOTIFY");
    const Slices ours = relayed(per_second, count, how);
    auto figures = waits_of(ours, bare, name);
    if (per_second == 100) {
      set_goals(figures, goals_of_postgres);
      figures.push_back(cpu_beyond(producer, ours, name));
    }
    std::ranges::move(figures, std::back_inserter(all));
  }
  return all;
}

std::vector<Figure> steady(int per_second, std::size_t count) {
  auto bare = send_at_once(500);
  if (Scratch::measured() == Scratch::Kind::postgres) return steady_on_postgres(per_second, count, bare);
  const Slices ours = relayed(per_second, count, Notices::by_asking);
  auto figures = waits_of(ours, bare, fmt::format("commit → request received at {}/s", per_second));
  if (per_second == 100) set_goals(figures, goals_of_sqlite);
  return figures;
}

}  // namespace

std::vector<Figure> http_latency_100() { return steady(100, 2000); }
std::vector<Figure> http_latency_1000() { return steady(1000, 5000); }

}  // namespace makegood::bench
