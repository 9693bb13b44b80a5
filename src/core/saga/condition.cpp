#include <algorithm>
#include <charconv>
#include <compare>
#include <cstdint>
#include <optional>
#include <utility>
#include <variant>

#include "base/json_text.hpp"
#include "core/saga/template.hpp"

namespace makegood::core {
namespace {

/// A decimal number of any length: 0.digits × 10^exponent, without zeros around the digits. Zero has none.
struct Decimal {
  bool is_negative = false;
  std::string digits = {};
  std::int64_t exponent = 0;
};

constexpr std::int64_t exponent_max = std::int64_t{1} << 40;

std::int64_t exponent_in(std::string_view text) {
  const std::size_t mark = text.find_first_of("eE");
  if (mark == std::string_view::npos) return 0;
  std::string_view number = text.substr(mark + 1);
  if (number.starts_with('+')) number.remove_prefix(1);
  std::int64_t exponent = 0;
  const auto [end, failure] = std::from_chars(number.data(), number.data() + number.size(), exponent);
  if (failure == std::errc::result_out_of_range) return number.starts_with('-') ? -exponent_max : exponent_max;
  return std::clamp(exponent, -exponent_max, exponent_max);
}

Decimal decimal_of(std::string_view text) {
  Decimal number{.is_negative = text.starts_with('-'), .exponent = exponent_in(text)};
  const std::string_view plain = text.substr(0, text.find_first_of("eE")).substr(number.is_negative ? 1 : 0);
  const std::size_t point = std::min(plain.find('.'), plain.size());
  number.digits = std::string(plain.substr(0, point));
  number.exponent += static_cast<std::int64_t>(point);
  if (point < plain.size()) number.digits += plain.substr(point + 1);
  const std::size_t first = number.digits.find_first_not_of('0');
  if (first == std::string::npos) return {};
  number.digits.erase(0, first);
  number.exponent -= static_cast<std::int64_t>(first);
  number.digits.erase(number.digits.find_last_not_of('0') + 1);
  return number;
}

std::strong_ordering compare_magnitudes(const Decimal& left, const Decimal& right) {
  if (left.digits.empty() || right.digits.empty()) return !left.digits.empty() <=> !right.digits.empty();
  if (left.exponent != right.exponent) return left.exponent <=> right.exponent;
  return left.digits <=> right.digits;
}

std::strong_ordering compare_numbers(std::string_view left_text, std::string_view right_text) {
  const Decimal left = decimal_of(left_text);
  const Decimal right = decimal_of(right_text);
  if (left.is_negative != right.is_negative) return right.is_negative <=> left.is_negative;
  const std::strong_ordering order = compare_magnitudes(left, right);
  return left.is_negative ? 0 <=> order : order;
}

enum class ValueKind { null, flag, number, text, nested };

ValueKind value_kind(std::string_view value) {
  switch (value.front()) {
    case '"':
      return ValueKind::text;
    case '{':
    case '[':
      return ValueKind::nested;
    case 'n':
      return ValueKind::null;
    case 't':
    case 'f':
      return ValueKind::flag;
    default:
      return ValueKind::number;
  }
}

bool is_true(std::string_view value) {
  const bool is_zero = value_kind(value) == ValueKind::number && decimal_of(value).digits.empty();
  return !is_zero && value != "false" && value != "null" && value != "\"\"" && value != "[]" && value != "{}";
}

std::strong_ordering ordering_of(ValueKind kind, const std::string& left, const std::string& right) {
  if (kind == ValueKind::number) return compare_numbers(left, right);
  return json::unquoted(left).value_or(left) <=> json::unquoted(right).value_or(right);
}

bool is_so(Comparison comparison, std::strong_ordering order) {
  switch (comparison) {
    case Comparison::equal:
      return order == 0;
    case Comparison::unequal:
      return order != 0;
    case Comparison::less:
      return order < 0;
    case Comparison::at_most:
      return order <= 0;
    case Comparison::more:
      return order > 0;
    case Comparison::at_least:
      return order >= 0;
  }
  std::unreachable();
}

Result<bool> compare(Comparison comparison, const std::string& left, const std::string& right) {
  const ValueKind kind = value_kind(left);
  if (kind == ValueKind::nested || value_kind(right) == ValueKind::nested) {
    return Error{Errc::invalid, "A condition compares a list or an object; only single values can be compared."};
  }
  const bool asks_for_equality = comparison == Comparison::equal || comparison == Comparison::unequal;
  const bool has_order = kind == value_kind(right) && (kind == ValueKind::number || kind == ValueKind::text);
  if (!asks_for_equality && !has_order) {
    return Error{Errc::invalid, "A condition asks which of two is less, and they are not both numbers or both texts."};
  }
  if (kind != value_kind(right)) return comparison == Comparison::unequal;
  return is_so(comparison, ordering_of(kind, left, right));
}

Result<std::string> value_for(const Operand& operand, const TemplateScope& scope) {
  if (const auto* placeholder = std::get_if<Placeholder>(&operand)) return value_for(*placeholder, scope);
  return std::get<std::string>(operand);
}

Result<bool> holds(const Term& term, const TemplateScope& scope) {
  const std::string left = MAKEGOOD_TRY(value_for(term.left, scope));
  if (!term.comparison) return is_true(left) != term.is_negated;
  return compare(*term.comparison, left, MAKEGOOD_TRY(value_for(term.right, scope)));
}

Result<bool> all_hold(const std::vector<Term>& terms, const TemplateScope& scope) {
  for (const Term& term : terms) {
    if (!MAKEGOOD_TRY(holds(term, scope))) return false;
  }
  return true;
}

}  // namespace

Result<bool> holds(std::string_view condition, const TemplateScope& scope) {
  for (const std::vector<Term>& line : MAKEGOOD_TRY(parse_condition(condition))) {
    if (MAKEGOOD_TRY(all_hold(line, scope))) return true;
  }
  return false;
}

}  // namespace makegood::core
