#include "base/saga_templates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/mistakes.hpp"
#include "base/nearest.hpp"
#include "base/saga_calls.hpp"

namespace makegood {
namespace {

constexpr std::string_view action_key = "key";

/// How much of its own step a template may read.
enum class Own { nothing, key, all };

class TemplateCheck {
 public:
  explicit TemplateCheck(const SagaDefinition& definition) : definition_(definition) {}

  std::vector<SagaMistake> run() {
    for (const TemplateField& field : template_fields(definition_)) check_field(field);
    return std::move(mistakes_);
  }

 private:
  void check_field(const TemplateField& field) {
    step_ = field.step;
    if (!field.uses) return tell(field.field, fmt::format("is wrong: {}", without_stop(field.uses.error().message)));
    needs_default_ = step_ && does_need_default(definition_.steps[*step_], field.field);
    for (const TemplateUse& use : *field.uses) check_use(field.field, use, own_of(field.field));
  }

  static Own own_of(std::string_view field) {
    if (field.starts_with("compensation.")) return Own::all;
    return field == "action.input" || field == "check.input" ? Own::key : Own::nothing;
  }

  static bool does_need_default(const SagaStep& step, std::string_view field) {
    const bool has_other = step.compensation && !step.compensation->if_unknown.empty();
    return field == "compensation.if_unknown" || (field == "compensation.input" && !has_other);
  }

  void check_use(const std::string& field, const TemplateUse& use, Own own) {
    if (use.root == execution_input || is_of_element(field, use)) return;
    const auto& steps = definition_.steps;
    const auto found = std::ranges::find(steps, use.root, &SagaStep::name);
    if (found == steps.end())
      return tell(field, fmt::format("reads {}, which is no step; {}", written(use), hint(use)));
    const auto read = static_cast<std::size_t>(found - steps.begin());
    if (wait_of(found->action.uri)) return tell(field, fmt::format("reads {}, and a wait has no output", written(use)));
    if (step_ && read == *step_) return check_own(field, use, own);
    if (found->for_each && use.path == action_key) {
      return tell(field, fmt::format("reads {}, and a repeated step has a key for each element", written(use)));
    }
    if (!step_ || found->group < steps[*step_].group) return;
    const bool is_sibling = found->group == steps[*step_].group;
    tell(field, fmt::format("reads {}, {}; only input and earlier steps can be read", written(use),
                            is_sibling ? "which runs beside this step" : "which runs after this step"));
  }

  /// Whether it is carried out, and for which list, is decided before there are elements.
  bool is_of_element(std::string_view field, const TemplateUse& use) const {
    if (!step_ || !definition_.steps[*step_].for_each || field == "when" || field == "for_each.in") return false;
    return use.root == item_root || use.root == index_root;
  }

  void check_own(const std::string& field, const TemplateUse& use, Own own) {
    if (own != Own::nothing && use.path == action_key) return;
    if (own != Own::all) {
      return tell(field, fmt::format("reads {}, the output of its own step, which is not there yet", written(use)));
    }
    if (!needs_default_ || use.has_default) return;
    tell(field, fmt::format("reads {}, and nobody may know what its step has answered; {}", written(use),
                            field == "compensation.input" ? "give if_unknown, or a default: ${path|null}"
                                                          : "give a default: ${path|null}, or use the key"));
  }

  std::string hint(const TemplateUse& use) const {
    std::vector<std::string> names = {std::string(execution_input)};
    for (const SagaStep& step : definition_.steps) names.push_back(step.name);
    const std::string meant = nearest(use.root, names);
    return meant.empty() ? "it begins with input or the name of a step" : fmt::format("is it {}?", shown(meant));
  }

  static std::string written(const TemplateUse& use) {
    return use.path.empty() ? fmt::format("${{{}}}", shown(use.root))
                            : fmt::format("${{{}.{}}}", shown(use.root), shown(use.path));
  }

  void tell(std::string field, std::string problem) {
    mistakes_.push_back({step_, std::move(field), std::move(problem)});
  }

  const SagaDefinition& definition_;
  std::optional<std::size_t> step_;
  bool needs_default_ = false;
  std::vector<SagaMistake> mistakes_;
};

}  // namespace

std::vector<TemplateField> template_fields(const SagaDefinition& definition) {
  std::vector<TemplateField> fields;
  const auto add = [&](std::optional<std::size_t> step, std::string field, const std::string& text) {
    if (!text.empty()) fields.push_back({step, std::move(field), uses_of(text)});
  };
  for (std::size_t i = 0; i < definition.steps.size(); ++i) {
    const SagaStep& step = definition.steps[i];
    if (step.for_each) add(i, "for_each.in", step.for_each->list);
    add(i, "action.input", step.action.input);
    if (step.check) add(i, "check.input", step.check->input);
    if (!step.condition.empty()) fields.push_back({i, "when", uses_of_condition(step.condition)});
    if (!step.compensation) continue;
    add(i, "compensation.input", step.compensation->input);
    add(i, "compensation.if_unknown", step.compensation->if_unknown);
  }
  add(std::nullopt, "output", definition.output);
  return fields;
}

std::vector<SagaMistake> mistakes_in_templates(const SagaDefinition& definition) {
  return TemplateCheck(definition).run();
}

}  // namespace makegood
