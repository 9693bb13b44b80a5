// Durations as people write them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "makegood/clock.hpp"

namespace makegood {

/// `90s`, `1h30m`, `1.5h`, `0`: numbers with a unit each (ns, us, ms, s, m, h). Rounded up to a microsecond, so that
/// nothing but zero becomes zero.
std::optional<Duration> parse_duration(std::string_view text);
std::string format_duration(Duration duration);

}  // namespace makegood
