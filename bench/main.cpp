// makegood-bench NAME: runs one benchmark in a process of its own and prints its figures, one JSON object a line.
// bench/run runs them all and makes the table.
#include <fmt/format.h>

#include <array>
#include <string_view>
#include <utility>

#include "bench/figure.hpp"

namespace {

using makegood::bench::Figure;

constexpr std::array<std::pair<std::string_view, makegood::bench::Benchmark>, 13> benchmarks = {{
    {"enqueue", makegood::bench::enqueue},
    {"drain-200k", makegood::bench::drain_200k},
    {"drain-1m", makegood::bench::drain_1m},
    {"latency-100", makegood::bench::latency_100},
    {"latency-1000", makegood::bench::latency_1000},
    {"notice", makegood::bench::notice},
    {"idle", makegood::bench::idle},
    {"http-drain", makegood::bench::http_drain},
    {"http-slow", makegood::bench::http_slow},
    {"http-latency-100", makegood::bench::http_latency_100},
    {"http-latency-1000", makegood::bench::http_latency_1000},
    {"http-hanging", makegood::bench::http_hanging},
    {"server", makegood::bench::server},
}};

std::string_view met(const Figure& figure) {
  if (figure.goal.empty()) return "null";
  return figure.is_met ? "true" : "false";
}

void print(std::string_view benchmark, const Figure& figure) {
  fmt::print(
      R"({{"benchmark":"{}","name":"{}","unit":"{}","figure":{:.3f},"limit":{},"ratio":{},"goal":"{}","met":{}}})"
      "\n",
      benchmark, figure.name, figure.unit, figure.value, figure.limit ? fmt::format("{:.3f}", *figure.limit) : "null",
      figure.limit ? fmt::format("{:.3f}", figure.value / *figure.limit) : "null", figure.goal, met(figure));
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view wanted = argc == 2 ? argv[1] : "";
  if (wanted == "--list") {
    for (const auto& [name, run] : benchmarks) fmt::print("{}\n", name);
    return 0;
  }
  for (const auto& [name, run] : benchmarks) {
    if (name != wanted) continue;
    for (const Figure& figure : run()) print(name, figure);
    return 0;
  }
  fmt::print(stderr, "makegood-bench NAME | --list\n");
  return 2;
}
