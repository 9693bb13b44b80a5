// The endpoint that a benchmark sends to, in a process of its own, so that its work is not counted as ours.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bench/http/child.hpp"
#include "makegood/clock.hpp"

namespace makegood::bench {

struct Arrival {
  std::string event_id;
  MonotonicTime at;  ///< When the whole request was there. The clock is the machine's, so it can be compared with ours.
};

class Endpoint {
 public:
  /// `hosts`: how many loopback addresses it listens on.
  explicit Endpoint(std::size_t hosts = 1);
  std::string url(std::string_view path, std::size_t host = 0) const;
  /// Those on `/noted` since the last question, in order.
  std::vector<Arrival> arrivals() const;

 private:
  Child sink_;
  std::uint16_t port_;
};

}  // namespace makegood::bench
