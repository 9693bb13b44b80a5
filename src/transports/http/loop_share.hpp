// How destinations are divided between the loops of a transport.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

#include "makegood/delivery.hpp"

namespace makegood::http {

/// One loop of so many.
struct LoopShare {
  std::size_t index = 0;
  std::size_t count = 1;
};

/// A destination that takes many requests at a time is carried by all loops, so that one thread is not its limit: with
/// 64 in flight, two carry half as much again as one. Another belongs to one loop, so that its requests share
/// connections.
inline bool is_divided(const Destination& destination, std::size_t loops) {
  constexpr std::size_t worth_a_loop = 16;
  return loops > 1 && destination.in_flight_max / loops >= worth_a_loop;
}

/// How many requests of the destination this loop may have under way.
inline std::size_t under_way_max(const Destination& destination, LoopShare share) {
  const std::size_t all = destination.in_flight_max;
  if (!is_divided(destination, share.count)) return all;
  return all / share.count + (share.index < all % share.count ? 1 : 0);
}

inline std::size_t loop_of(const Delivery& delivery, std::size_t loops) {
  if (is_divided(*delivery.destination, loops)) return static_cast<std::size_t>(delivery.ticket) % loops;
  return std::hash<std::string_view>()(delivery.destination->name) % loops;
}

}  // namespace makegood::http
