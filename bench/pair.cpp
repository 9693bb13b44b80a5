#include "bench/pair.hpp"

#include <fmt/format.h>

#include "base/progress_line.hpp"

namespace makegood::bench {
namespace {

constexpr std::size_t slice_seconds = 5;

}  // namespace

void Pair::start_relays() {
  plain_station_.start_relay();
  other_station_.start_relay();
  // Both have their connections, plans and caches before anything is counted.
  plain_station_.drive(50, 50);
  other_station_.drive(50, 50);
}

void Pair::stop_relays() {
  plain_station_.stop_relay();
  other_station_.stop_relay();
}

std::vector<Figure> Pair::drive(const Compared& compared) {
  const std::size_t count = slice_seconds * static_cast<std::size_t>(compared.per_second);
  Slices plain;
  Slices other;
  const std::size_t slices = compared.minutes * 60 / slice_seconds / 2;
  ProgressLine progress(system_clock());
  for (std::size_t slice = 0; slice < slices; ++slice) {
    progress.tell(static_cast<double>(slice) / static_cast<double>(slices),
                  fmt::format("{}: {} of {} min", compared.name, slice * compared.minutes / slices, compared.minutes));
    plain.add(plain_station_.drive(compared.per_second, count));
    other.add(other_station_.drive(compared.per_second, count));
  }
  progress.clear();
  const std::string goal = fmt::format("≤ {:.0f} % more than without", (compared.ratio_max - 1) * 100);
  const auto wait = [&](std::string_view name, double share) {
    const double limit = plain.wait(share);
    const double value = other.wait(share);
    return Figure{.name = fmt::format("{}: commit → request at {}/s, {}", compared.name, compared.per_second, name),
                  .unit = "ms",
                  .value = value,
                  .limit = limit,
                  .goal = goal,
                  .is_met = value <= compared.ratio_max * limit};
  };
  Figure cpu{.name = fmt::format("{}: CPU of relay, producer and database", compared.name),
             .unit = "ms per s",
             .value = other.cpu_ms_per_second(),
             .limit = plain.cpu_ms_per_second()};
  if (compared.is_cpu_judged) {
    cpu.goal = goal;
    cpu.is_met = cpu.value <= compared.ratio_max * *cpu.limit;
  }
  return {wait("p50", 0.50), wait("p99", 0.99), cpu};
}

}  // namespace makegood::bench
