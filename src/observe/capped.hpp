// What is kept per label value, for the first so many values; the rest share one. A label fed from outside must not
// make the number of time series grow without bound.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "observe/escape.hpp"

namespace makegood::observe {

inline constexpr std::string_view other_label = "other";

template <class T>
class Capped {
 public:
  explicit Capped(std::size_t count_max) : count_max_(count_max) {}

  /// `make` gets the label. The reference stays good.
  template <class Make>
  T& of(std::string_view value, Make make) {
    if (const auto found = kept_.find(value); found != kept_.end()) return found->second;
    if (kept_.size() < count_max_) return kept_.emplace(std::string(value), make(escape(value))).first->second;
    if (const auto found = kept_.find(other_label); found != kept_.end()) return found->second;
    return kept_.emplace(std::string(other_label), make(std::string(other_label))).first->second;
  }

 private:
  struct Hash {
    using is_transparent = void;  // NOLINT(readability-identifier-naming): the standard's name.
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  std::size_t count_max_;
  std::unordered_map<std::string, T, Hash, std::equal_to<>> kept_;
};

}  // namespace makegood::observe
