// W15: what a relay costs that has nothing to do.
#include <chrono>
#include <thread>

#include "bench/figure.hpp"
#include "bench/process.hpp"
#include "bench/scratch.hpp"
#include "makegood/assert.hpp"
#include "makegood/registry.hpp"

namespace makegood::bench {
namespace {

constexpr double goal_ms_per_second = 5;

}  // namespace

std::vector<Figure> idle() {
  constexpr int seconds = 10;
  const Scratch scratch;
  Handlers handlers;
  handlers.on("bench.*", "nothing", [](const Delivery&) { return Outcome::ok(); });
  auto dispatcher = open_dispatcher(scratch.url(), handlers);
  MAKEGOOD_ASSERT(dispatcher.has_value());
  dispatcher->start();
  std::this_thread::sleep_for(std::chrono::seconds(1));
  const double before = cpu_milliseconds();
  std::this_thread::sleep_for(std::chrono::seconds(seconds));
  const double per_second = (cpu_milliseconds() - before) / seconds;
  Figure figure{.name = "idle", .unit = "ms CPU per s", .value = per_second};
  if (Scratch::measured() == Scratch::Kind::sqlite) {
    figure.goal = "≤ 5 ms";
    figure.is_met = per_second <= goal_ms_per_second;
  }
  return {figure};
}

}  // namespace makegood::bench
