// What somebody probably meant by a name that does not exist.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace makegood {

/// How many characters must be added, removed, changed or swapped with their neighbour to get from one to the other.
std::size_t edit_distance(std::string_view left, std::string_view right);

/// The candidate nearest to `name`, or empty when none is near. Where `separator` is given, names that end in nearly
/// the same part are near as well: `batch` is near `tx.outbox.batch`.
std::string nearest(std::string_view name, std::span<const std::string> candidates, char separator = '\0');

}  // namespace makegood
