// makegood-bench NAME: runs one benchmark in a process of its own and prints its figures, one JSON object a line.
// bench/run runs them all and makes the table.
#include <fmt/format.h>

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "bench/asked.hpp"
#include "bench/elsewhere.hpp"
#include "bench/figure.hpp"
#include "bench/saga/station.hpp"
#include "bench/scratch.hpp"

namespace {

using makegood::bench::Figure;

constexpr auto benchmarks = std::to_array<std::pair<std::string_view, makegood::bench::Benchmark>>({
    {"enqueue", makegood::bench::enqueue},
    {"drain", makegood::bench::drain},
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
    {"long-transaction", makegood::bench::long_transaction},
    {"history", makegood::bench::history},
    {"idempotency", makegood::bench::idempotency},
    {"saga-functions", makegood::bench::saga_functions},
    {"saga-compensation", makegood::bench::saga_compensation},
    {"saga-http", makegood::bench::saga_http},
    {"saga-latency", makegood::bench::saga_latency},
    {"saga-cpu", makegood::bench::saga_cpu},
    {"saga-takeover", makegood::bench::saga_takeover},
    {"saga-waiting", makegood::bench::saga_waiting},
    {"proxy", makegood::bench::proxy},
    {"brokers-kafka", makegood::bench::brokers},
    {"brokers-nats", makegood::bench::brokers},
    {"brokers-amqp", makegood::bench::brokers},
    {"brokers-redis", makegood::bench::brokers},
});

}  // namespace

namespace makegood::bench {
Asked& asked() {
  static Asked asked;
  return asked;
}
}  // namespace makegood::bench

namespace {

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

struct Wanted {
  std::string_view name;
  bool is_understood = true;
};

/// Null: there is no such number to ask for.
std::size_t* number_named(std::string_view option) {
  makegood::bench::Asked& asked = makegood::bench::asked();
  if (option == "--messages") return &asked.messages;
  if (option == "--rows") return &asked.rows;
  if (option == "--executions") return &asked.executions;
  return option == "--minutes" ? &asked.minutes : nullptr;
}

/// NAME, and options with a value each.
Wanted read_arguments(std::span<char*> words) {
  Wanted wanted{words.empty() ? "" : words[0]};
  for (std::size_t i = 1; i < words.size(); i += 2) {
    const std::string_view option = words[i];
    const std::string value = i + 1 < words.size() ? words[i + 1] : "";
    if (option == "--store" && value.starts_with("postgres")) {
      makegood::bench::Scratch::use_postgres(value);
    } else if (option == "--broker") {
      makegood::bench::asked().broker = value;
    } else if (std::size_t* const number = number_named(option); number != nullptr && !value.empty()) {
      *number = std::stoul(value);
    } else if (option != "--store" || !value.starts_with("sqlite")) {
      wanted.is_understood = false;
    }
  }
  return wanted;
}

/// `brokers-nats` is told where a `nats://` is.
bool has_its_broker(std::string_view name) {
  constexpr std::string_view prefix = "brokers-";
  if (!name.starts_with(prefix)) return true;
  return makegood::bench::asked().broker.starts_with(std::string(name.substr(prefix.size())) + "://");
}

}  // namespace

int main(int argc, char** argv) {
  const std::span<char*> words(argv, static_cast<std::size_t>(argc));
  if (words.size() == 5 && std::string_view(words[1]) == "--produce") {  // Started by another one of its kind.
    makegood::bench::produce_and_print(words[2], std::stoi(words[3]), std::stoul(words[4]));
    return 0;
  }
  if (words.size() == 3 && std::string_view(words[1]) == "--orchestrate") {
    makegood::bench::orchestrate_until_killed(words[2]);
    return 0;
  }
  const Wanted wanted = read_arguments({argv + 1, argv + argc});
  if (wanted.name == "--list") {
    for (const auto& [name, run] : benchmarks) fmt::print("{}\n", name);
    return 0;
  }
  for (const auto& [name, run] : benchmarks) {
    if (name != wanted.name || !wanted.is_understood || !has_its_broker(name)) continue;
    for (const Figure& figure : run()) print(name, figure);
    return 0;
  }
  fmt::print(stderr,
             "makegood-bench NAME [--store sqlite|postgres://…] [--messages N] [--rows N] [--executions N] [--minutes "
             "N] [--broker URL] | --list\n");
  return 2;
}
