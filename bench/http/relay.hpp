// A relay to HTTP destinations, as a program would build it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bench/scratch.hpp"
#include "makegood/dispatcher.hpp"
#include "makegood/http.hpp"

namespace makegood::bench {

/// As `makegood serve` has. What it is compared with gets as many.
inline constexpr std::size_t threads_of_serve = 2;

struct Line {
  std::string topic;
  std::string url;
  std::size_t in_flight_max = Destination{}.in_flight_max;
};

/// Runs from its construction on.
class Relay {
 public:
  Relay(const Scratch& scratch, const std::vector<Line>& lines, Observer& observer,
        std::size_t threads = threads_of_serve);
  void wake() { dispatcher_->wake(); }
  /// What is under way gets this long to be answered.
  void stop(Duration grace = std::chrono::seconds(25)) { dispatcher_->stop(grace); }

 private:
  std::unique_ptr<Transport> transport_;
  std::unique_ptr<Dispatcher> dispatcher_;
};

}  // namespace makegood::bench
