#include "core/owned_lane.hpp"

#include <utility>

namespace makegood::core {

Lasting::Lasting(const DispatcherOptions& first, std::uint64_t seed, std::vector<std::string> running_ahead,
                 Sharing sharing)
    : outbox(first.outbox),
      lease(first.lease),
      is_registry_in_store(first.is_registry_in_store),
      random_state(seed),
      destinations(std::move(running_ahead), sharing) {}

void Lasting::clear() {
  window.clear();
  destinations.clear();
  reports.forget_fresh();
}

double Lasting::unit_random() {
  // splitmix64: small, even, and the same in every build.
  random_state += 0x9E37'79B9'7F4A'7C15;
  std::uint64_t x = random_state;
  x = (x ^ (x >> 30)) * 0xBF58'476D'1CE4'E5B9;
  x = (x ^ (x >> 27)) * 0x94D0'49BB'1331'11EB;
  return static_cast<double>((x ^ (x >> 31)) >> 11) * 0x1.0p-53;
}

OwnedLane::OwnedLane(Lasting& what_lasts, Ownership of_whom)
    : lasting(what_lasts),
      options(lasting.options),
      destinations(lasting.destinations),
      window(lasting.window),
      reports(lasting.reports),
      ownership(std::move(of_whom)),
      registry(options, lasting.is_registry_in_store),
      suspects(window, destinations, sides),
      deliveries(window, destinations, sides, suspects),
      parked(destinations, ownership) {}

}  // namespace makegood::core
