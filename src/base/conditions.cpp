#include "base/conditions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace makegood {
namespace {

using Line = std::vector<Term>;

std::string_view symbol_of(Comparison comparison) {
  constexpr std::array<std::string_view, 6> texts = {"==", "!=", "<", "<=", ">", ">="};
  return texts[static_cast<std::size_t>(comparison)];
}

Comparison opposite_of(Comparison comparison) {
  switch (comparison) {
    case Comparison::equal:
      return Comparison::unequal;
    case Comparison::unequal:
      return Comparison::equal;
    case Comparison::less:
      return Comparison::at_least;
    case Comparison::at_most:
      return Comparison::more;
    case Comparison::more:
      return Comparison::at_most;
    case Comparison::at_least:
      return Comparison::less;
  }
  std::unreachable();
}

Term opposite_of(Term term) {
  if (term.comparison) {
    term.comparison = opposite_of(*term.comparison);
  } else {
    term.is_negated = !term.is_negated;
  }
  return term;
}

std::string operand_text(const Operand& operand) {
  if (const auto* literal = std::get_if<std::string>(&operand)) return *literal;
  const auto& placeholder = std::get<Placeholder>(operand);
  std::string text = "${" + placeholder.root;
  for (const std::string& name : placeholder.path) text += "." + name;
  if (placeholder.fallback) text += "|" + *placeholder.fallback;
  return text + "}";
}

/// Nothing: it depends on what it is filled with.
std::optional<bool> value_of_literal(const Term& term) {
  const auto* literal = std::get_if<std::string>(&term.left);
  if (literal == nullptr || term.comparison) return std::nullopt;
  constexpr auto false_texts = std::to_array<std::string_view>({"false", "null", "0", "\"\"", "[]", "{}"});
  const bool is_true = std::ranges::find(false_texts, *literal) == false_texts.end();
  return is_true != term.is_negated;
}

/// `${a} == 1 && ${a} == 2`, or a term beside its opposite.
bool contradicts(const Term& left, const Term& right) {
  if (to_text(opposite_of(left)) == to_text(right)) return true;
  const bool are_both_equal = left.comparison == Comparison::equal && right.comparison == Comparison::equal;
  const auto* one = std::get_if<std::string>(&left.right);
  const auto* other = std::get_if<std::string>(&right.right);
  const bool are_literals = one != nullptr && other != nullptr;
  return are_both_equal && are_literals && *one != *other && operand_text(left.left) == operand_text(right.left);
}

bool never_holds(const Line& line) {
  for (auto term = line.begin(); term != line.end(); ++term) {
    if (value_of_literal(*term) == false) return true;
    if (std::any_of(line.begin(), term, [&](const Term& other) { return contradicts(other, *term); })) return true;
  }
  return false;
}

bool has(const Line& line, const Term& term) {
  return std::ranges::any_of(line, [&](const Term& other) { return to_text(other) == to_text(term); });
}

bool has_all(const Line& line, const Line& terms) {
  return std::ranges::all_of(terms, [&](const Term& term) { return has(line, term); });
}

Line line_of_both(const Line& first, const Line& second) {
  Line line = first;
  for (const Term& term : second) {
    if (!has(line, term)) line.push_back(term);
  }
  return line;
}

}  // namespace

std::string to_text(const Term& term) {
  const std::string left = operand_text(term.left);
  if (!term.comparison) return term.is_negated ? "!" + left : left;
  return fmt::format("{} {} {}", left, symbol_of(*term.comparison), operand_text(term.right));
}

std::string to_text(const Condition& condition) {
  std::vector<std::string> lines;
  for (const Line& line : condition) {
    std::vector<std::string> terms;
    for (const Term& term : line) terms.push_back(to_text(term));
    lines.push_back(fmt::format("{}", fmt::join(terms, " && ")));
  }
  return fmt::format("{}", fmt::join(lines, " || "));
}

std::optional<Condition> both(const Condition& first, const Condition& second) {
  if (first.size() * second.size() > condition_lines_max) return std::nullopt;
  Condition all;
  for (const Line& left : first) {
    for (const Line& right : second) all.push_back(line_of_both(left, right));
  }
  return all;
}

/// Not (a && b || c) is (!a || !b) && !c.
std::optional<Condition> opposite_of(const Condition& condition) {
  std::optional<Condition> all = Condition{Line{}};
  for (const Line& line : condition) {
    Condition one;
    for (const Term& term : line) one.push_back({opposite_of(term)});
    all = both(*all, one);
    if (!all) return std::nullopt;
  }
  return all;
}

bool never_holds(const Condition& condition) {
  return std::ranges::all_of(condition, [](const Line& line) { return never_holds(line); });
}

bool always_holds(const Condition& condition) {
  const auto is_true = [](const Term& term) { return value_of_literal(term) == true; };
  return std::ranges::any_of(condition, [&](const Line& line) { return std::ranges::all_of(line, is_true); });
}

bool implies(const Condition& first, const Condition& second) {
  return std::ranges::all_of(first, [&](const Line& line) {
    return std::ranges::any_of(second, [&](const Line& terms) { return has_all(line, terms); });
  });
}

}  // namespace makegood
