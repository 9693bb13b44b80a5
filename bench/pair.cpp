#include "bench/pair.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace makegood::bench {
namespace {

constexpr std::size_t slice_seconds = 10;

/// Of all slices: the waits of single ones have too few of the slow messages.
struct Driven {
  std::vector<double> waits;
  std::vector<double> cpu;

  void add(Steady steady) {
    std::ranges::move(steady.waits, std::back_inserter(waits));
    cpu.push_back(steady.cpu_ms_per_second);
  }
};

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
  Driven plain;
  Driven other;
  for (std::size_t slice = 0; slice < compared.minutes * 60 / slice_seconds / 2; ++slice) {
    plain.add(plain_station_.drive(compared.per_second, count));
    other.add(other_station_.drive(compared.per_second, count));
  }
  const auto wait = [&](std::string_view name, double share) {
    const double limit = percentile(plain.waits, share);
    const double value = percentile(other.waits, share);
    return Figure{.name = fmt::format("{}: commit → request at {}/s, {}", compared.name, compared.per_second, name),
                  .unit = "ms",
                  .value = value,
                  .limit = limit,
                  .goal = fmt::format("≤ {:.0f} % more than without", (compared.ratio_max - 1) * 100),
                  .is_met = value <= compared.ratio_max * limit};
  };
  return {wait("p50", 0.50),
          wait("p99", 0.99),
          {.name = fmt::format("{}: CPU of relay, producer and database", compared.name),
           .unit = "ms per s",
           .value = median(other.cpu),
           .limit = median(plain.cpu)}};
}

}  // namespace makegood::bench
