#include "base/nearest.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace makegood {
namespace {

std::string_view last_part(std::string_view name, char separator) {
  const std::size_t at = name.rfind(separator);
  return at == std::string_view::npos ? name : name.substr(at + 1);
}

/// Nobody mistypes more than every fourth character.
std::size_t distance_max(std::string_view name) { return std::max<std::size_t>(1, name.size() / 4); }

}  // namespace

std::size_t edit_distance(std::string_view left, std::string_view right) {
  // Three rows of the usual table: the one being filled and the two above it.
  std::vector<std::size_t> before;
  std::vector<std::size_t> above(right.size() + 1);
  std::vector<std::size_t> row(right.size() + 1);
  for (std::size_t j = 0; j < above.size(); ++j) above[j] = j;
  for (std::size_t i = 1; i <= left.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= right.size(); ++j) {
      const bool is_same = left[i - 1] == right[j - 1];
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (is_same ? 0U : 1U)});
      const bool is_swapped = i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1];
      if (is_swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before = std::exchange(above, row);
  }
  return above[right.size()];
}

std::string nearest(std::string_view name, std::span<const std::string> candidates, char separator) {
  std::string best;
  std::size_t best_distance = std::string_view::npos;
  const auto consider = [&](const std::string& candidate, std::size_t distance, std::size_t limit) {
    if (distance > limit || distance >= best_distance) return;
    best_distance = distance;
    best = candidate;
  };
  for (const std::string& candidate : candidates) {
    consider(candidate, edit_distance(name, candidate), distance_max(name));
    if (separator == '\0') continue;
    const std::string_view part = last_part(name, separator);
    // One more, so that a slip in the whole name is preferred to the same word elsewhere.
    consider(candidate, edit_distance(part, last_part(candidate, separator)) + 1, distance_max(part) + 1);
  }
  return best;
}

}  // namespace makegood
