// What the proxy counts of itself, in Prometheus' text format.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string>

#include "makegood/clock.hpp"
#include "proxy/routes.hpp"

namespace makegood::proxy {

/// How a request was treated.
enum class Treatment : std::uint8_t {
  passed,    ///< Without a key, as it came.
  worked,    ///< With a key, and forwarded.
  replayed,  ///< Answered with what was stored.
  busy,
  mismatch,
  in_doubt,
  no_key,        ///< It had none where one is required, or none that can be read.
  no_principal,  ///< It did not tell who asks.
  too_large,
  not_http,
  store_away,  ///< The key could not be claimed.
  crowded,     ///< There are as many connections as are allowed.
};

/// Written by the thread that reads and writes, read by any.
class Figures {
 public:
  void treated(Treatment as) { add(treated_.at(static_cast<std::size_t>(as))); }
  void settled(Fate as) { add(settled_.at(static_cast<std::size_t>(as))); }
  /// A key's answer could not be stored: it will be in doubt.
  void unsettled() { add(unsettled_); }
  void ended(Ending::Kind how) { add(ended_.at(static_cast<std::size_t>(how))); }
  void took(Duration duration);
  void connections(std::size_t count) { connections_.store(count, std::memory_order_relaxed); }
  void exchanges(std::size_t count) { exchanges_.store(count, std::memory_order_relaxed); }

  std::string text() const;

 private:
  using Counter = std::atomic<std::uint64_t>;
  static void add(Counter& counter) {
    counter.store(counter.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  static constexpr std::array<double, 12> boundaries = {0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025,
                                                        0.05,   0.1,   0.25,   0.5,   1,    2.5};

  std::array<Counter, 12> treated_ = {};
  std::array<Counter, 3> settled_ = {};
  std::array<Counter, 4> ended_ = {};
  std::array<Counter, boundaries.size() + 1> buckets_ = {};
  Counter microseconds_ = 0;
  Counter unsettled_ = 0;
  Counter connections_ = 0;
  Counter exchanges_ = 0;
};

}  // namespace makegood::proxy
