// All the chance of a simulation, from one seed: the same seed gives the same run in every build.
#pragma once

#include <cstddef>
#include <cstdint>

namespace makegood::sim {

class Chance {
 public:
  explicit Chance(std::uint64_t seed) : state_(seed) {}
  /// The chance of one step. It depends on nothing that happened before, so that a step can be left out of a schedule
  /// and all others still do the same.
  Chance(std::uint64_t seed, std::uint64_t step) : state_(seed * 0xD134'2543'DE82'EF95 + step) { state_ = next(); }

  std::uint64_t next() {
    state_ += 0x9E37'79B9'7F4A'7C15;
    std::uint64_t x = state_;
    x = (x ^ (x >> 30)) * 0xBF58'476D'1CE4'E5B9;
    x = (x ^ (x >> 27)) * 0x94D0'49BB'1331'11EB;
    return x ^ (x >> 31);
  }
  /// 0 to count - 1.
  std::size_t below(std::size_t count) { return static_cast<std::size_t>(next() % count); }
  bool one_in(std::size_t count) { return below(count) == 0; }

 private:
  std::uint64_t state_;
};

}  // namespace makegood::sim
