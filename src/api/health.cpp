#include "api/health.hpp"

#include <utility>

#include "api/view_json.hpp"

namespace makegood::api {
namespace {

Health::State state_from(const SideLane* side, bool is_failing) {
  if (side != nullptr && side->is_paused) {
    return side->why == SideLane::Why::disabled ? Health::State::disabled : Health::State::paused;
  }
  if (side != nullptr && side->why == SideLane::Why::broken) return Health::State::broken;
  return is_failing ? Health::State::failing : Health::State::up;
}

}  // namespace

std::string_view to_string(Health::State state) {
  switch (state) {
    case Health::State::up:
      return "up";
    case Health::State::failing:
      return "failing";
    case Health::State::broken:
      return "broken";
    case Health::State::paused:
      return "paused";
    case Health::State::disabled:
      return "disabled";
  }
  std::unreachable();
}

Health health_of(const LaneView& lane, std::string_view destination) {
  Health health;
  const SideLane* side = side_of(lane.position, destination);
  const auto failing = lane.position.failing.find(destination);
  const bool is_failing = failing != lane.position.failing.end();
  health.state = state_from(side, is_failing);
  if (is_failing) {
    health.failing_since = failing->second.since;
    health.failures = failing->second.count;
  }
  health.since = health.failing_since;
  if (side != nullptr) {
    health.because = side->because;
    health.lag = lag_of(*side, lane.counter);
  }
  if (side != nullptr && side->is_paused) {
    health.since = side->since == TimePoint{} ? std::nullopt : std::optional(side->since);
  }
  return health;
}

void put_health(Writer& writer, const Health& health) {
  put_word(writer, "state", health.state, Health::State::disabled, "`broken`: its circuit is open.");
  put(writer, "since", health.since, "Since when it is paused or disabled; otherwise `failing_since`.");
  put_or_null(writer, "because", health.because, "Paused: who asked, and why. Disabled: what it did.");
  put(writer, "lag", health.lag, "Of its side lane; 0 without one.");
  put(writer, "failing_since", health.failing_since, "The first failure after its last success.");
  put(writer, "failures", health.failures,
      "Since then, counted no faster than time goes: a burst of failed attempts is one. It says how long it has "
      "failed, "
      "not how often.");
}

}  // namespace makegood::api
