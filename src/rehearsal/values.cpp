#include "rehearsal/values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <string_view>
#include <variant>

#include "base/conditions.hpp"
#include "base/json.hpp"
#include "base/json_text.hpp"
#include "base/saga_templates.hpp"

namespace makegood::rehearsal {
namespace {

constexpr std::string_view list_field = "for_each.in";

std::string quoted(std::string_view text) {
  rapidjson::StringBuffer buffer;
  json::Writer writer(buffer);
  json::write_text(writer, text);
  return {buffer.GetString(), buffer.GetSize()};
}

bool is_index(std::string_view name) {
  return !name.empty() && name.size() < 3 && name.find_first_not_of("0123456789") == std::string_view::npos;
}

/// A JSON value that grows path by path.
class Tree {
 public:
  void put(std::string_view path, std::string value) {
    if (path.empty()) {
      leaf_ = std::move(value);
      return;
    }
    const std::size_t end = std::min(path.find('.'), path.size());
    members_[std::string(path.substr(0, end))].put(path.substr(std::min(end + 1, path.size())), std::move(value));
  }

  std::string text() const {
    if (members_.empty()) return leaf_.value_or("{}");
    const bool is_list = std::ranges::all_of(members_, [](const auto& each) { return is_index(each.first); });
    return is_list ? list() : object();
  }

 private:
  std::string object() const {
    std::string text;
    for (const auto& [name, member] : members_) {
      text += fmt::format("{}{}:{}", text.empty() ? "" : ",", quoted(name), member.text());
    }
    return "{" + text + "}";
  }
  std::string list() const {
    std::size_t last = 0;
    for (const auto& [name, member] : members_) last = std::max(last, std::size_t{std::stoul(name)});
    std::string text;
    for (std::size_t i = 0; i <= last; ++i) {
      const auto found = members_.find(std::to_string(i));
      if (i > 0) text += ',';
      text += found == members_.end() ? "null" : found->second.text();
    }
    return "[" + text + "]";
  }

  std::optional<std::string> leaf_;
  std::map<std::string, Tree> members_;
};

std::optional<double> number_in(std::string_view literal) {
  double number = 0;
  const auto [end, failure] = std::from_chars(literal.data(), literal.data() + literal.size(), number);
  const bool is_number = failure == std::errc() && end == literal.data() + literal.size();
  return is_number ? std::optional(number) : std::nullopt;
}

/// Something beside the literal, in the direction of `step`.
std::string beside(const std::string& literal, int step) {
  if (const auto number = number_in(literal)) return fmt::format("{}", *number + step);
  if (literal == "true" || literal == "false") return literal == "true" ? "false" : "true";
  if (literal == "null") return "\"something\"";
  const std::string text = json::unquoted(literal).value_or("");
  return step < 0 ? "\"\"" : quoted(text + "z");
}

std::string value_for(Comparison comparison, const std::string& literal) {
  switch (comparison) {
    case Comparison::equal:
    case Comparison::at_most:
    case Comparison::at_least:
      return literal;
    case Comparison::unequal:
    case Comparison::more:
      return beside(literal, 1);
    case Comparison::less:
      return beside(literal, -1);
  }
  return literal;
}

Comparison turned_round(Comparison comparison) {
  switch (comparison) {
    case Comparison::equal:
    case Comparison::unequal:
      return comparison;
    case Comparison::less:
      return Comparison::more;
    case Comparison::at_most:
      return Comparison::at_least;
    case Comparison::more:
      return Comparison::less;
    case Comparison::at_least:
      return Comparison::at_most;
  }
  return comparison;
}

class ValueMaker {
 public:
  explicit ValueMaker(const SagaDefinition& definition) : definition_(definition) {}

  void fill_everything() {
    for (const TemplateField& field : template_fields(definition_)) {
      if (!field.uses || field.field == list_field) continue;
      for (const TemplateUse& use : *field.uses) {
        if (use.path != "key") put(use.root, use.path, quoted(use.root + "." + use.path));
      }
    }
    for (const TemplateField& field : template_fields(definition_)) {
      if (field.uses && field.field == list_field) fill_list(*field.uses);
    }
    for (std::size_t i = definition_.steps.size(); i > 0; --i) hold(i - 1);
  }

  /// Those that its condition reads have to be carried out first.
  void hold_for(std::size_t step) {
    if (!seen_.insert(step).second) return;
    const auto condition = condition_of(step);
    if (!condition) return;
    hold(step);
    for (const auto& line : *condition) {
      for (const Term& term : line) hold_what_is_read(term.left), hold_what_is_read(term.right);
    }
    hold(step);
  }

  void do_not_hold(std::size_t step) {
    const auto condition = condition_of(step);
    const auto opposite = condition ? opposite_of(*condition) : std::nullopt;
    if (opposite) satisfy(*opposite);
  }

  Values take(const std::string& input) {
    Values values{.input = input.empty() ? trees_[std::string(execution_input)].text() : input};
    for (const SagaStep& step : definition_.steps) values.outputs[step.name] = trees_[step.name].text();
    return values;
  }

 private:
  std::optional<Condition> condition_of(std::size_t step) const {
    const std::string& text = definition_.steps[step].condition;
    if (text.empty()) return std::nullopt;
    auto condition = parse_condition(text);
    return condition ? std::optional(*std::move(condition)) : std::nullopt;
  }

  /// Two elements, with all that is read of any.
  void fill_list(const std::vector<TemplateUse>& uses) {
    for (const TemplateUse& use : uses) {
      const std::string place = use.path.empty() ? "" : use.path + ".";
      for (const char* index : {"0", "1"}) put(use.root, place + index, trees_[std::string(item_root)].text());
    }
  }

  void hold(std::size_t step) {
    if (const auto condition = condition_of(step)) satisfy(*condition);
  }

  void hold_what_is_read(const Operand& operand) {
    const auto* placeholder = std::get_if<Placeholder>(&operand);
    if (placeholder == nullptr) return;
    const auto& steps = definition_.steps;
    const auto read = std::ranges::find(steps, placeholder->root, &SagaStep::name);
    if (read != steps.end()) hold_for(static_cast<std::size_t>(read - steps.begin()));
  }

  void satisfy(const Condition& condition) {
    for (const auto& line : condition) {
      if (never_holds(Condition{line})) continue;
      for (const Term& term : line) satisfy(term);
      return;
    }
  }

  void satisfy(const Term& term) {
    const auto* left = std::get_if<Placeholder>(&term.left);
    if (!term.comparison) {
      if (left != nullptr) put(*left, term.is_negated ? "false" : "true");
      return;
    }
    const auto* right = std::get_if<Placeholder>(&term.right);
    if (left != nullptr && right == nullptr) {
      put(*left, value_for(*term.comparison, std::get<std::string>(term.right)));
    } else if (left == nullptr && right != nullptr) {
      put(*right, value_for(turned_round(*term.comparison), std::get<std::string>(term.left)));
    } else if (left != nullptr) {
      put(*right, "0");
      put(*left, value_for(*term.comparison, "0"));
    }
  }

  void put(const Placeholder& placeholder, std::string value) {
    const TemplateUse use = use_of(placeholder);
    put(use.root, use.path, std::move(value));
  }
  void put(const std::string& root, const std::string& path, std::string value) {
    trees_[root].put(path, std::move(value));
  }

  const SagaDefinition& definition_;
  std::map<std::string, Tree> trees_;
  std::set<std::size_t> seen_;
};

}  // namespace

Values values_for(const SagaDefinition& definition, std::optional<std::size_t> step, bool is_wanted,
                  const std::string& input) {
  ValueMaker maker(definition);
  maker.fill_everything();
  if (step) maker.hold_for(*step);
  if (step && !is_wanted) maker.do_not_hold(*step);
  return maker.take(input);
}

}  // namespace makegood::rehearsal
