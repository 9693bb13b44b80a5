// What the server counts of itself, in Prometheus' text format.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "makegood/clock.hpp"
#include "server/route_labels.hpp"

namespace makegood::server {

/// Why somebody was not served.
enum class Refusal : std::uint8_t { connections, streams, queue, unauthorized, forbidden, request, timeout };

/// Written by the thread that reads and writes, read by any.
class Figures {
 public:
  explicit Figures(const std::string& metrics_path);

  void answered(std::string_view method, std::string_view path, int status, Duration duration);
  void refused(Refusal why);
  void connections(std::size_t count) { connections_.store(count, std::memory_order_relaxed); }
  void streams(std::size_t count) { streams_.store(count, std::memory_order_relaxed); }

  std::string text() const;

 private:
  using Counter = std::atomic<std::uint64_t>;
  static constexpr std::size_t status_classes = 5;
  static constexpr std::array<double, 12> boundaries = {0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025,
                                                        0.05,   0.1,   0.25,   0.5,   1,    2.5};
  static constexpr std::size_t refusal_count = 7;

  std::string requests_text() const;
  std::string seconds_text() const;

  RouteLabels labels_;
  std::vector<std::array<Counter, status_classes>> requests_;  ///< By route and class of status.
  std::array<Counter, boundaries.size() + 1> buckets_ = {};
  Counter microseconds_ = 0;
  std::array<Counter, refusal_count> refused_ = {};
  Counter connections_ = 0;
  Counter streams_ = 0;
};

}  // namespace makegood::server
