// Templates filled in, and conditions decided. Total and without code: `base/template_syntax.hpp` has the syntax.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/template_syntax.hpp"
#include "makegood/result.hpp"

namespace makegood::core {

/// What a template can read.
struct TemplateScope {
  std::string_view input;  ///< The execution's input, JSON.
  /// A step's output, JSON; nothing: there is none.
  std::function<std::optional<std::string>(std::string_view step)> output;
  /// `${step.key}`: the action's idempotency key.
  std::function<std::string(std::string_view step)> key;
  std::optional<std::string_view> item = {};  ///< Of a repeated step: the element, JSON …
  std::size_t index = 0;                      ///< … and its place.
};

/// What a filled template may hold.
inline constexpr std::size_t filled_bytes_max = std::size_t{1} << 20;

/// `text` is JSON. A whole string that is one `${…}` keeps the value's type, digits of numbers included; inside text a
/// value is written as text. What leads nowhere is Errc::invalid and names the path, never a null, unless there is a
/// default; so is a null inside text. Errc::payload_too_large above the limit.
Result<std::string> fill_template(std::string_view text, const TemplateScope& scope);

/// False, null, 0, "", [] and {} are false. Texts are compared by their bytes, numbers exactly, whatever their digits;
/// values of two kinds are unequal, and neither is less: Errc::invalid, as for lists and objects.
Result<bool> holds(std::string_view condition, const TemplateScope& scope);

/// The value that stands in its place, JSON; its default where it leads nowhere or to null.
Result<std::string> value_for(const Placeholder& placeholder, const TemplateScope& scope);

}  // namespace makegood::core
