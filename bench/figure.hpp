// What a benchmark tells: a figure, beside the limit that was measured in the same run.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace makegood::bench {

struct Figure {
  std::string name;
  std::string unit;
  double value = 0;
  std::optional<double> limit =
      {};                 ///< The same by the bare libraries, with the same durability and as many in flight.
  std::string goal = {};  ///< In words; empty for a figure that only informs.
  bool is_met = true;
};

using Benchmark = std::vector<Figure> (*)();

std::vector<Figure> enqueue();
std::vector<Figure> drain();
std::vector<Figure> drain_1m();
std::vector<Figure> latency_100();
std::vector<Figure> latency_1000();
std::vector<Figure> notice();
std::vector<Figure> idle();
std::vector<Figure> http_drain();
std::vector<Figure> http_slow();
std::vector<Figure> http_latency_100();
std::vector<Figure> http_latency_1000();
std::vector<Figure> http_hanging();
std::vector<Figure> server();
std::vector<Figure> long_transaction();
std::vector<Figure> history();
std::vector<Figure> idempotency();
std::vector<Figure> saga_functions();
std::vector<Figure> saga_compensation();
std::vector<Figure> saga_http();
std::vector<Figure> saga_latency();
std::vector<Figure> saga_cpu();
std::vector<Figure> saga_takeover();
std::vector<Figure> saga_waiting();
std::vector<Figure> proxy();
std::vector<Figure> brokers();  ///< Of the one that the program was given.

}  // namespace makegood::bench
