// Durations and sizes as people write them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "makegood/clock.hpp"

namespace makegood::config {

/// `90s`, `1h30m`, `1.5h`, `0`: numbers with a unit each (ns, us, ms, s, m, h). Rounded up to a microsecond, so that
/// nothing but zero becomes zero.
std::optional<Duration> parse_duration(std::string_view text);
std::string format_duration(Duration duration);

/// `4096`, `256KiB`, `4MiB`, `1GiB`.
std::optional<std::int64_t> parse_bytes(std::string_view text);
std::string format_bytes(std::uint64_t bytes);

}  // namespace makegood::config
