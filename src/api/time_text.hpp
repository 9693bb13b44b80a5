// Moments as RFC 3339 writes them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "makegood/clock.hpp"

namespace makegood::api {

/// `2026-01-02T03:04:05.678Z`.
std::string time_text(TimePoint time);
/// Any offset, any number of decimals; years 1970 to 9999.
std::optional<TimePoint> time_from(std::string_view text);

}  // namespace makegood::api
