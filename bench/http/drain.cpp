// W4 and W5: preloaded messages to an endpoint that answers at once, or after a while.
#include <fmt/format.h>

#include <algorithm>

#include "bench/figure.hpp"
#include "bench/finish.hpp"
#include "bench/http/bare_client.hpp"
#include "bench/http/endpoint.hpp"
#include "bench/http/relay.hpp"
#include "bench/http/wrk.hpp"
#include "bench/process.hpp"
#include "bench/scratch.hpp"

namespace makegood::bench {
namespace {

/// Ours and the bare client one right after the other, so that both meet the machine in the same mood; many times,
/// since the mood changes.
constexpr int rounds_at_once = 11;
constexpr int rounds_slow = 3;
constexpr int rounds_of_wrk = 3;
constexpr double goal_of_bare = 0.80;
constexpr double goal_of_sqlite = 0.80;
constexpr double goal_of_bound = 0.90;
/// Of all cores together, the endpoint's work included. With less of them idle the CPU is the limit: schedulers and
/// interrupts never leave less than a few per cent.
constexpr double idle_min = 0.05;

struct Case {
  std::size_t in_flight;
  std::size_t delay_ms;
  std::size_t count;
  std::size_t threads = threads_of_serve;  ///< Of the client: ours, the bare one, wrk.
};

struct Measured {
  std::vector<double> ours, bare, wrk;    ///< Messages per second, one for each round.
  std::vector<double> sqlite;             ///< The same from SQLite, where another store is measured.
  std::vector<double> our_cpu, bare_cpu;  ///< Milliseconds for 1,000 messages.
  std::vector<double> idle;               ///< Share of the machine's CPUs that was left during our drain.
};

std::string described(const Case& wanted) {
  const std::string answer = wanted.delay_ms == 0 ? "at once" : fmt::format("after {} ms", wanted.delay_ms);
  const std::string_view threads = wanted.threads == 1 ? "one thread" : "two threads";
  return fmt::format("{} in flight, {}, answers {}", wanted.in_flight, threads, answer);
}

/// Until all are delivered and the lane has been given up, so that the last turn is counted too.
double drain(const Scratch& scratch, const Case& wanted, const std::string& url) {
  const auto began = system_clock().monotonic();
  Finish finish(wanted.count);
  Relay relay(scratch, {{.topic = "bench.*", .url = url, .in_flight_max = wanted.in_flight}}, finish, wanted.threads);
  finish.wait();
  relay.stop();
  return static_cast<double>(wanted.count) / seconds_since(began);
}

void drain(const Case& wanted, const std::string& url, Measured& measured) {
  const Scratch scratch;
  preload(scratch, wanted.count);
  const double cpu = cpu_milliseconds();
  const IdleCpu idle;
  measured.ours.push_back(drain(scratch, wanted, url));
  measured.idle.push_back(idle.share());
  measured.our_cpu.push_back((cpu_milliseconds() - cpu) / static_cast<double>(wanted.count) * 1000);
}

void drain_sqlite(const Case& wanted, const std::string& url, Measured& measured) {
  if (Scratch::measured() == Scratch::Kind::sqlite) return;
  const Scratch scratch(Scratch::Kind::sqlite);
  preload(scratch, wanted.count);
  measured.sqlite.push_back(drain(scratch, wanted, url));
}

/// Its connections are there already: what is compared is requests, and ours makes them only once too.
void send_bare(const Case& wanted, const std::string& url, Measured& measured) {
  BareClients clients(url, wanted.in_flight, wanted.threads);
  clients.send(wanted.in_flight);
  const double cpu = cpu_milliseconds();
  const auto began = system_clock().monotonic();
  clients.send(wanted.count);
  const auto count = static_cast<double>(wanted.count);
  measured.bare.push_back(count / seconds_since(began));
  measured.bare_cpu.push_back((cpu_milliseconds() - cpu) / count * 1000);
}

Measured measure(const Case& wanted, int rounds) {
  const Endpoint endpoint;
  const std::string url = endpoint.url(fmt::format("/after/{}", wanted.delay_ms));
  Measured measured;
  for (int round = 0; round < rounds; ++round) {
    send_bare(wanted, url, measured);
    drain(wanted, url, measured);
    drain_sqlite(wanted, url, measured);
    if (round >= rounds_of_wrk) continue;
    if (const auto rate = wrk(url, wanted.in_flight, wanted.threads)) measured.wrk.push_back(*rate);
  }
  return measured;
}

void add_wrk(std::vector<Figure>& figures, const Case& wanted, const Measured& measured, std::optional<double> bound) {
  if (measured.wrk.empty()) return;
  figures.push_back({.name = fmt::format("wrk, {}", described(wanted)),
                     .unit = "requests/s",
                     .value = median(measured.wrk),
                     .limit = bound});
}

void add_sqlite(std::vector<Figure>& figures, const Case& wanted, const Measured& measured) {
  if (measured.sqlite.empty()) return;
  const double share = median_share(measured.ours, measured.sqlite);
  figures.push_back({.name = fmt::format("the same beside SQLite, {}", described(wanted)),
                     .unit = "messages/s",
                     .value = median(measured.ours),
                     .limit = median(measured.ours) / share,
                     .goal = "≥ 80 % of SQLite",
                     .is_met = share >= goal_of_sqlite});
}

/// One client thread beside a bare loop is what can be compared. With two on two cores, ours share them with the lane
/// and the endpoint, the bare ones with the endpoint only: that is shown, and says what the lane costs there.
std::vector<Figure> instant(const Case& wanted) {
  const bool is_judged = wanted.threads == 1;
  const Measured measured = measure(wanted, rounds_at_once);
  const double share = median_share(measured.ours, measured.bare);
  std::vector<Figure> figures = {
      {.name = fmt::format("HTTP drain, {}", described(wanted)),
       .unit = "messages/s",
       .value = median(measured.ours),
       .limit = median(measured.ours) / share,
       .goal = is_judged ? "≥ 80 % of the bare client" : "",
       .is_met = !is_judged || share >= goal_of_bare},
      {.name = fmt::format("CPU of it, {}", described(wanted)),
       .unit = "ms per 1,000",
       .value = median(measured.our_cpu),
       .limit = median(measured.our_cpu) / median_share(measured.our_cpu, measured.bare_cpu)},
  };
  add_wrk(figures, wanted, measured, std::nullopt);
  add_sqlite(figures, wanted, measured);
  return figures;
}

/// A destination is met with few requests at first, and with twice as many after each round trip; at 100 ms that is the
/// first half second, at 20 ms an eighth of one. A drain must be so long that this is less than noise.
constexpr std::size_t seconds_of_slow = 20;

/// In flight ÷ delay is what nobody can exceed, and has the goal while CPU is left. Where our drain leaves none idle on
/// the whole machine, the bare client with as many threads says how far the CPU reaches.
std::vector<Figure> slow(std::size_t in_flight, std::size_t delay_ms) {
  constexpr std::size_t count_max = 256'000;
  const double bound = static_cast<double>(in_flight) * 1000 / static_cast<double>(delay_ms);
  const Case wanted{.in_flight = in_flight,
                    .delay_ms = delay_ms,
                    .count = std::min(count_max, static_cast<std::size_t>(bound) * seconds_of_slow / 1000 * 1000)};
  const Measured measured = measure(wanted, rounds_slow);
  const double bare = median(measured.bare);
  const double idle = median(measured.idle);
  const bool is_cpu_left = idle >= idle_min;
  std::vector<Figure> figures = {
      {.name = fmt::format("HTTP drain, {}", described(wanted)),
       .unit = "messages/s",
       .value = median(measured.ours),
       .limit = is_cpu_left ? bound : bare,
       .goal = is_cpu_left ? "≥ 90 % of in flight ÷ delay" : "",
       .is_met = !is_cpu_left || median(measured.ours) >= goal_of_bound * bound},
      {.name = fmt::format("CPU idle during it, {}", described(wanted)),
       .unit = is_cpu_left ? "% of all cores" : "% of all cores: CPU-bound",
       .value = idle * 100},
      {.name = fmt::format("bare client, {}", described(wanted)), .unit = "requests/s", .value = bare, .limit = bound},
  };
  add_wrk(figures, wanted, measured, bound);
  return figures;
}

std::vector<Figure> joined(std::vector<std::vector<Figure>> parts) {
  std::vector<Figure> all;
  for (auto& part : parts) std::ranges::move(part, std::back_inserter(all));
  return all;
}

}  // namespace

std::vector<Figure> http_drain() {
  return joined({instant({.in_flight = 64, .delay_ms = 0, .count = 40'000, .threads = 1}),
                 instant({.in_flight = 256, .delay_ms = 0, .count = 40'000, .threads = 1}),
                 instant({.in_flight = 64, .delay_ms = 0, .count = 40'000}),
                 instant({.in_flight = 256, .delay_ms = 0, .count = 40'000})});
}

std::vector<Figure> http_slow() { return joined({slow(256, 20), slow(1024, 20), slow(256, 100), slow(1024, 100)}); }

}  // namespace makegood::bench
