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
  if (side != nullptr) {
    health.because = side->because;
    health.lag = lag_of(*side, lane.counter);
  }
  return health;
}

void put_health(Writer& writer, const Health& health) {
  writer.StartObject();
  put(writer, "state", to_string(health.state));
  put(writer, "since", health.failing_since);
  put_or_null(writer, "because", health.because);
  put(writer, "lag", health.lag);
  put(writer, "failing_since", health.failing_since);
  put(writer, "failures", health.failures);
  writer.EndObject();
}

}  // namespace makegood::api
