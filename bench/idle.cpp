// W15: what a relay costs that has nothing to do, beside a bare loop that only asks whether there is something.
#include <chrono>
#include <functional>
#include <thread>

#include "bench/bare.hpp"
#include "bench/figure.hpp"
#include "bench/process.hpp"
#include "bench/scratch.hpp"
#include "makegood/node.hpp"

namespace makegood::bench {
namespace {

constexpr double goal_ms_per_second = 5;
constexpr int seconds = 10;

double cpu_ms_per_second(const std::function<void()>& work) {
  const double before = cpu_milliseconds();
  work();
  return (cpu_milliseconds() - before) / seconds;
}

double relay_that_waits() {
  const Scratch scratch;
  Node node = Node::open(scratch.url()).value();
  node.on("bench.*", "nothing", [](const Delivery&) { return Outcome::ok(); });
  node.start().value();
  std::this_thread::sleep_for(std::chrono::seconds(1));
  return cpu_ms_per_second([] { std::this_thread::sleep_for(std::chrono::seconds(seconds)); });
}

/// The limit: a loop that asks whether somebody has committed, as often as the relay does. SQLite gives it signs.
double loop_that_asks() {
  const Scratch scratch;
  const Duration pause = scratch.is_postgres() ? DispatcherOptions{}.poll_interval : std::chrono::milliseconds(100);
  preload(scratch, 0);  // Makes the tables.
  const auto bare = open_bare(scratch);
  return cpu_ms_per_second([&] {
    for (const auto began = system_clock().monotonic(); seconds_since(began) < seconds;) {
      bare->ask();
      std::this_thread::sleep_for(pause);
    }
  });
}

}  // namespace

std::vector<Figure> idle() {
  const double per_second = relay_that_waits();
  Figure figure{.name = "idle", .unit = "ms CPU per s", .value = per_second, .limit = loop_that_asks()};
  if (Scratch::measured() == Scratch::Kind::sqlite) {
    figure.goal = "≤ 5 ms";
    figure.is_met = per_second <= goal_ms_per_second;
  }
  return {figure};
}

}  // namespace makegood::bench
