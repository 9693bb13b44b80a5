// Moments as people speak of them.
#pragma once

#include <string>
#include <string_view>

#include "makegood/clock.hpp"
#include "makegood/result.hpp"

namespace makegood::cli {

/// `12 s`, `3 min`, `5 h`, `2 d`.
std::string age_text(Duration age);
/// Of a moment as the API writes it: `3 min ago`, `in 5 s`. What is no moment stays as it is.
std::string ago_text(std::string_view moment, TimePoint now);
/// A moment as people give it, as the API takes it: RFC 3339, or how long ago (`90s`, `2h`). Empty stays empty.
Result<std::string> moment_argument(const std::string& text, TimePoint now);

}  // namespace makegood::cli
