#include "base/saga_templates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/mistakes.hpp"
#include "base/nearest.hpp"
#include "base/template_syntax.hpp"

namespace makegood {
namespace {

constexpr std::string_view execution_input = "input";
constexpr std::string_view action_key = "key";

/// How much of its own step a template may read.
enum class Own { nothing, key, all };

class TemplateCheck {
 public:
  explicit TemplateCheck(const SagaDefinition& definition) : definition_(definition) {}

  std::vector<SagaMistake> run() {
    for (step_ = 0; *step_ < definition_.steps.size(); ++*step_) check_step(definition_.steps[*step_]);
    step_.reset();
    check_text("output", definition_.output, Own::nothing);
    return std::move(mistakes_);
  }

 private:
  void check_step(const SagaStep& step) {
    check_text("action.input", step.action.input, Own::key);
    if (step.check) check_text("check.input", step.check->input, Own::key);
    if (!step.condition.empty()) check_uses("when", uses_of_condition(step.condition), Own::nothing);
    if (!step.compensation) return;
    const bool has_other = !step.compensation->if_unknown.empty();
    needs_default_ = !has_other;
    check_text("compensation.input", step.compensation->input, Own::all);
    needs_default_ = true;
    check_text("compensation.if_unknown", step.compensation->if_unknown, Own::all);
    needs_default_ = false;
  }

  void check_text(const std::string& field, const std::string& text, Own own) {
    if (!text.empty()) check_uses(field, uses_of(text), own);
  }

  void check_uses(const std::string& field, const Result<std::vector<TemplateUse>>& uses, Own own) {
    if (!uses) return tell(field, fmt::format("is wrong: {}", without_stop(uses.error().message)));
    for (const TemplateUse& use : *uses) check_use(field, use, own);
  }

  void check_use(const std::string& field, const TemplateUse& use, Own own) {
    if (use.root == execution_input) return;
    const auto& steps = definition_.steps;
    const auto found = std::ranges::find(steps, use.root, &SagaStep::name);
    if (found == steps.end())
      return tell(field, fmt::format("reads {}, which is no step; {}", written(use), hint(use)));
    const auto read = static_cast<std::size_t>(found - steps.begin());
    if (step_ && read == *step_) return check_own(field, use, own);
    if (!step_ || found->group < steps[*step_].group) return;
    const bool is_sibling = found->group == steps[*step_].group;
    tell(field, fmt::format("reads {}, {}; only input and earlier steps can be read", written(use),
                            is_sibling ? "which runs beside this step" : "which runs after this step"));
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

std::vector<SagaMistake> mistakes_in_templates(const SagaDefinition& definition) {
  return TemplateCheck(definition).run();
}

}  // namespace makegood
