// Settings are described once: a function `describe(settings, visit)` beside each struct names its settings, one by
// one, with what is allowed and one sentence. Whoever reads, writes, checks or documents them is a visitor of it.
//
//   visit(name, value, About)        a number, a Duration, a text, a list of texts, a map of texts, a list of Durations
//   visit.choice(name, value, words) an enumeration, by the texts of its enumerators
//   visit.group(name, settings)      a struct that has a description of its own
//
// A Duration is named without a unit. What is stored adds `_us` to the name; what people write and see adds `_ms`.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <type_traits>

namespace makegood {

/// Inclusive. Durations are in milliseconds here.
struct Limits {
  double min = 0;
  double max = 0;
};

struct About {
  std::string_view says = {};
  Limits limits = {};
  std::size_t count_max = 0;  ///< Of a list.
};

using Words = std::span<const std::string_view>;

/// A visitor may read the settings or change them.
template <class Settings, class Described>
concept SettingsOf = std::is_same_v<std::remove_const_t<Settings>, Described>;

}  // namespace makegood
