// Executions that wait: they cost neither memory nor CPU, and do not hold up whoever takes the shard over.
#include <fmt/format.h>

#include <chrono>
#include <csignal>
#include <optional>
#include <thread>

#include "bench/asked.hpp"
#include "bench/figure.hpp"
#include "bench/http/child.hpp"
#include "bench/postgres_traces.hpp"
#include "bench/process.hpp"
#include "bench/saga/station.hpp"
#include "makegood/spi/assert.hpp"

namespace makegood::bench {
namespace {

constexpr std::size_t held_by_a_dead_owner = 100'000;
constexpr int idle_seconds = 10;
constexpr double goal_beyond_lease_ms = 2000;
constexpr double goal_megabytes = 20;
constexpr double goal_cpu_ms_per_second = 5;
constexpr auto glance = std::chrono::milliseconds(200);

/// Somebody has to agree within a day: it waits, and has a due time.
SagaDefinition one_that_waits() {
  SagaDefinition definition = chain_of("waits", 2, "fn:nothing");
  definition.steps.front().approval = SagaApproval{.reason = "for a bench", .timeout = std::chrono::hours(24)};
  return definition;
}

std::size_t waiting_in(SagaView& view) {
  std::size_t count = 0;
  for (const SagaCounts& each : view.counts().value()) {
    if (each.state == SagaState::waiting) count += each.count;
  }
  return count;
}

void wait_until_all_wait(SagaView& view, std::size_t count) {
  while (waiting_in(view) < count) std::this_thread::sleep_for(glance);
}

struct Idle {
  double megabytes = 0;
  double cpu_ms_per_second = 0;
};

/// Of this process, with an orchestrator that was started anew over what is there.
Idle idle_over(const Scratch& scratch) {
  SagaStation station(scratch);
  station.define(chain_of("short", 2, "fn:nothing"));
  forget_peak();
  station.start();
  station.keep_in_flight("short", 1, 1);
  const double before = all_cpu_milliseconds(scratch);
  std::this_thread::sleep_for(std::chrono::seconds(idle_seconds));
  return {.megabytes = peak_megabytes(), .cpu_ms_per_second = (all_cpu_milliseconds(scratch) - before) / idle_seconds};
}

/// Milliseconds from the owner's death until an execution that nobody has begun has ended.
double take_over(const Scratch& scratch) {
  std::optional<Child> owner =
      Child::start({beside_this_program("makegood-bench").string(), "--orchestrate", scratch.url()});
  MAKEGOOD_ASSERT(owner.has_value());
  SagaStation station(scratch);
  wait_until_all_wait(station.view(), held_by_a_dead_owner);
  kill(owner->pid(), SIGKILL);
  owner.reset();
  const auto began = system_clock().monotonic();
  station.start();
  station.keep_in_flight("short", 1, 1);
  return seconds_since(began) * 1000;
}

}  // namespace

std::vector<Figure> saga_takeover() {
  const Scratch scratch;
  {
    SagaStation station(scratch);
    station.define(one_that_waits());
    station.define(chain_of("short", 2, "fn:nothing"));
    station.append("waits", held_by_a_dead_owner);
  }
  const double took = take_over(scratch);
  const double lease =
      scratch.is_postgres() ? std::chrono::duration<double, std::milli>(SagaOptions{}.lease).count() : 0;
  return {{.name = fmt::format("owner killed, {} executions wait: until the next one has ended", held_by_a_dead_owner),
           .unit = "ms",
           .value = took,
           .limit = lease + goal_beyond_lease_ms,
           .goal = "≤ lease + 2 s",
           .is_met = took <= lease + goal_beyond_lease_ms}};
}

std::vector<Figure> saga_waiting() {
  const Scratch nothing_waits;
  const Idle without = idle_over(nothing_waits);
  const Scratch scratch;
  {
    SagaStation station(scratch);
    station.define(one_that_waits());
    station.start();
    station.append("waits", asked().rows);
    wait_until_all_wait(station.view(), asked().rows);
  }
  const Idle with = idle_over(scratch);
  const double more = with.megabytes - without.megabytes;
  const double cpu = with.cpu_ms_per_second - without.cpu_ms_per_second;
  return {{.name = fmt::format("{} executions wait: memory beyond none", asked().rows),
           .unit = "MB",
           .value = more,
           .goal = "≤ 20 MB",
           .is_met = more <= goal_megabytes},
          {.name = fmt::format("{} executions wait: CPU", asked().rows),
           .unit = "ms per s",
           .value = with.cpu_ms_per_second,
           .limit = without.cpu_ms_per_second,
           .goal = "≤ 5 ms per s beyond none",
           .is_met = cpu <= goal_cpu_ms_per_second}};
}

}  // namespace makegood::bench
