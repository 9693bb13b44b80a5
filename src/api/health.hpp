// How a destination is, as the lane's last turn tells it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/json_out.hpp"
#include "makegood/spi/outbox_view.hpp"

namespace makegood::api {

struct Health {
  enum class State { up, failing, broken, paused, disabled };
  State state = State::up;
  std::optional<TimePoint> since = {};  ///< Of the state.
  std::optional<TimePoint> failing_since = {};
  std::uint32_t failures = 0;
  std::string because = {};
  Sequence lag = 0;
};
std::string_view to_string(Health::State state);
Health health_of(const LaneView& lane, std::string_view destination);
void put_health(Writer& writer, const Health& health);

}  // namespace makegood::api
