// Two databases on one server that differ in one thing, measured in turn, so that whatever else the machine does falls
// on both alike.
#pragma once

#include "bench/figure.hpp"
#include "bench/http/station.hpp"

namespace makegood::bench {

class Pair {
 public:
  Pair() : plain_station_(plain_), other_station_(other_) {}

  const Scratch& plain() const { return plain_; }
  const Scratch& other() const { return other_; }
  /// From now on both have a relay.
  void start_relays();
  void stop_relays();

  struct Compared {
    std::string name;  ///< Of what makes the other one different.
    int per_second = 0;
    std::size_t minutes = 0;
    double ratio_max = 0;        ///< Of the waits.
    bool is_cpu_judged = false;  ///< By the same.
  };
  /// Wait and CPU of the other one, beside the plain one as its limit.
  std::vector<Figure> drive(const Compared& compared);

 private:
  Scratch plain_;
  Scratch other_;
  Station plain_station_;
  Station other_station_;
};

}  // namespace makegood::bench
