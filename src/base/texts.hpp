// The texts of an enumeration, from the value to the text and back, out of one list.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace makegood {

/// One text for each value, in the order of the enumeration, whose last value is `Last`.
template <class Value, Value Last>
class Texts {
 public:
  template <class... Text>
  explicit consteval Texts(Text... texts) : texts_{texts...} {
    static_assert(sizeof...(Text) == static_cast<std::size_t>(Last) + 1, "a text for each value");
  }

  constexpr std::string_view of(Value value) const { return texts_[static_cast<std::size_t>(value)]; }
  constexpr std::optional<Value> find(std::string_view text) const {
    for (std::size_t i = 0; i < texts_.size(); ++i) {
      if (texts_[i] == text) return static_cast<Value>(i);
    }
    return std::nullopt;
  }

 private:
  std::array<std::string_view, static_cast<std::size_t>(Last) + 1> texts_;
};

}  // namespace makegood
