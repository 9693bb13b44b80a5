// A database, a relay over it, an endpoint that it sends to, and a producer: messages at a fixed rate go all the way.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "bench/finish.hpp"
#include "bench/http/endpoint.hpp"
#include "bench/http/relay.hpp"
#include "bench/producer.hpp"
#include "bench/scratch.hpp"

namespace makegood::bench {

struct Steady {
  std::vector<double> waits;     ///< From the commit's return until the endpoint has the whole request; milliseconds.
  double cpu_ms_per_second = 0;  ///< Of this process and the database server.
};

/// Several such slices. What the machine does besides for a moment falls on few of them, and the medians leave it out.
class Slices {
 public:
  void add(Steady steady);
  double cpu_ms_per_second() const { return median(cpu_); }
  /// The median of the slices' own.
  double wait(double share) const;

 private:
  std::vector<std::vector<double>> waits_;
  std::vector<double> cpu_;
};

class Station {
 public:
  /// The name of the destination that everything goes to.
  static constexpr const char* destination = "http:0";

  explicit Station(const Scratch& scratch) : scratch_(scratch), producer_(scratch) {}
  void start_relay();
  /// Gives the lane up.
  void stop_relay();

  /// An open loop. Without a relay nothing arrives, and only the CPU is measured.
  Steady drive(int per_second, std::size_t count);
  Slices drive_in_slices(int per_second, std::size_t count);

 private:
  using Committed = std::vector<std::pair<std::string, MonotonicTime>>;
  Committed produce(int per_second, std::size_t count);
  std::vector<double> waits_of(const Committed& committed) const;

  const Scratch& scratch_;
  const Endpoint endpoint_;
  Producer producer_;
  Observer nobody_;
  std::optional<Relay> relay_;
};

}  // namespace makegood::bench
