// What a template says, apart from what it is filled with: texts with `${…}` in them, and conditions.
//
// A template is a JSON text. `${input.a.b}` reads the execution's input, `${step.path.0.x}` an earlier step's output,
// `${step.key}` the idempotency key of its action, `${path|default}` has a JSON literal for where the path leads
// nowhere or to null. A whole string that is one `${…}` keeps the value's type; `$${` is a literal `${`.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "makegood/result.hpp"

namespace makegood {

/// What a template is read from: `input`, or a step's name.
struct TemplateUse {
  std::string root;
  std::string path = {};  ///< Below it, with dots; empty: all of it.
  bool has_default = false;
  bool operator==(const TemplateUse&) const = default;
};

struct Placeholder {
  std::string root;
  std::vector<std::string> path = {};
  std::optional<std::string> fallback = {};  ///< A JSON text.
};
/// As it is written, without its default.
std::string to_string(const Placeholder& placeholder);
TemplateUse use_of(const Placeholder& placeholder);

/// Either is as it stands in the text, in turn.
using TemplatePart = std::variant<std::string, Placeholder>;
/// Of one string of a template. Errc::invalid when a `${` does not end, names nothing or has a default that is no JSON.
Result<std::vector<TemplatePart>> template_parts(std::string_view text);

enum class Comparison { equal, unequal, less, at_most, more, at_least };
/// A JSON literal, or what stands in its place.
using Operand = std::variant<std::string, Placeholder>;
struct Term {
  bool is_negated = false;  ///< Only without a comparison.
  Operand left;
  std::optional<Comparison> comparison = {};
  Operand right = {};
};
/// One of the lines holds when all of its terms do; one line is enough.
using Condition = std::vector<std::vector<Term>>;
/// `${a} == 'x' && !${b} || ${c|0} > 3`: `==`, `!=`, `<`, `<=`, `>`, `>=` with JSON literals, `!`, `&&`, `||`, no
/// parentheses. Errc::invalid tells where it cannot be read.
Result<Condition> parse_condition(std::string_view text);

/// All that a template, which is a JSON text, reads. Errc::invalid when it cannot be read.
Result<std::vector<TemplateUse>> uses_of(std::string_view text);
Result<std::vector<TemplateUse>> uses_of_condition(std::string_view condition);

}  // namespace makegood
