// What the texts of flags mean.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "makegood/clock.hpp"
#include "makegood/result.hpp"

namespace makegood::cli {

using Pairs = std::vector<std::pair<std::string, std::string>>;

/// Of `NAME=VALUE`.
Result<Pairs> pairs_of(const std::vector<std::string>& settings);
/// `500ms`, `10s`, `1m`.
Result<Duration> duration_in(std::string_view flag, const std::string& text);
/// JSON: the text itself, `-` for the input, or `@FILE`.
Result<std::string> json_argument(const std::string& text);

}  // namespace makegood::cli
