// Conditions put together and looked at, without anything to fill them with.
#pragma once

#include <optional>
#include <string>

#include "base/template_syntax.hpp"

namespace makegood {

/// As `parse_condition` reads it.
std::string to_text(const Condition& condition);
std::string to_text(const Term& term);

inline constexpr std::size_t condition_lines_max = 64;
/// Holds when both do; `first` is looked at first. Nothing: it would have too many lines.
std::optional<Condition> both(const Condition& first, const Condition& second);
/// Holds when this does not.
std::optional<Condition> opposite_of(const Condition& condition);

/// Whatever it is filled with.
bool never_holds(const Condition& condition);
bool always_holds(const Condition& condition);
/// Whenever `first` holds, `second` does; as far as can be seen from their terms.
bool implies(const Condition& first, const Condition& second);

}  // namespace makegood
