#include "base/saga_drawing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string_view>
#include <vector>

#include "base/saga_calls.hpp"

namespace makegood {
namespace {

using StepGroup = std::span<const SagaStep>;

std::vector<StepGroup> groups_of(const SagaDefinition& definition) {
  std::vector<StepGroup> groups;
  const std::span<const SagaStep> steps = definition.steps;
  for (std::size_t begin = 0, end = 0; begin < steps.size(); begin = end) {
    while (end < steps.size() && steps[end].group == steps[begin].group) ++end;
    groups.push_back(steps.subspan(begin, end - begin));
  }
  return groups;
}

std::string undoing_of(const SagaStep& step) {
  if (step.is_pivot) return "the pivot";
  if (step.compensation) return "undone by " + step.compensation->uri;
  if (step.has_no_effect) return "no effect";
  return saga_call_kind(step.action.uri) == SagaCallKind::child ? "undone as a whole" : "after the pivot";
}

// --- A tree ---

std::string step_line(const SagaStep& step, std::size_t width) {
  std::string line = fmt::format("{:<{}}  {}  ({})", step.name, width, step.action.uri, undoing_of(step));
  if (step.approval) line += "  needs approval";
  if (step.for_each) line += fmt::format("  for each of {}", step.for_each->list);
  if (!step.condition.empty()) line += fmt::format("  when {}", step.condition);
  return line;
}

void draw_group(std::string& text, StepGroup group, bool is_last, std::size_t width) {
  const std::string_view trunk = is_last ? "   " : "│  ";
  if (group.size() == 1) {
    text += fmt::format("{}─ {}\n", is_last ? "└" : "├", step_line(group.front(), width));
    return;
  }
  text += fmt::format("{}─ in parallel\n", is_last ? "└" : "├");
  for (const SagaStep& step : group) {
    const bool is_end = &step == &group.back();
    text += fmt::format("{}{}─ {}\n", trunk, is_end ? "└" : "├", step_line(step, width));
  }
}

// --- Mermaid ---

std::string mermaid_text(std::string_view text) {
  std::string result;
  for (const char letter : text) {
    switch (letter) {
      case '"':
        result += "#quot;";
        break;
      case '<':
        result += "#lt;";
        break;
      case '>':
        result += "#gt;";
        break;
      default:
        result += letter;
    }
  }
  return result;
}

/// Where an arrow begins, and what is written on it.
struct Tail {
  std::string node;
  std::string label = {};
};

class MermaidDrawing {
 public:
  std::string draw(const SagaDefinition& definition) {
    text_ = fmt::format("flowchart TD\n  begin([\"{}\"])\n", mermaid_text(definition.name));
    tails_ = {{"begin"}};
    for (const StepGroup group : groups_of(definition)) draw_group(group);
    lead_to("done([\"completed\"])");
    return std::move(text_);
  }

 private:
  void draw_group(StepGroup group) {
    const std::vector<Tail> before = gathered(group.size() > 1);
    std::vector<Tail> after;
    for (const SagaStep& step : group) {
      tails_ = before;
      draw_step(step);
      std::ranges::move(tails_, std::back_inserter(after));
    }
    tails_ = std::move(after);
  }

  /// Several arrows to several steps would be too many: they meet in a point.
  std::vector<Tail> gathered(bool is_parallel) {
    if (!is_parallel || tails_.size() == 1) return tails_;
    const std::string node = fmt::format("j{}", ++joints_);
    lead_to(fmt::format("{}(( ))", node));
    return {{node}};
  }

  void draw_step(const SagaStep& step) {
    const std::size_t number = ++steps_;
    std::vector<Tail> beside;
    if (!step.condition.empty()) {
      lead_to(fmt::format("c{}{{\"{}\"}}", number, mermaid_text(step.condition)));
      tails_ = {{fmt::format("c{}", number), "yes"}};
      beside = {{fmt::format("c{}", number), "no"}};
    }
    const std::string_view shape = shape_of(step);
    const std::string_view remark = step.is_pivot ? " (pivot)" : step.for_each ? " (for each)" : "";
    const std::string label = mermaid_text(step.name).append(remark);
    lead_to(fmt::format(fmt::runtime(shape), number, label));
    if (step.compensation) {
      text_ +=
          fmt::format("  s{} -. undone by .-> u{}[\"{}\"]\n", number, number, mermaid_text(step.compensation->uri));
    }
    tails_ = {{fmt::format("s{}", number)}};
    std::ranges::move(beside, std::back_inserter(tails_));
  }

  /// A message flies like a flag; a saga is a box in a box.
  static std::string_view shape_of(const SagaStep& step) {
    if (step.is_pivot) return "s{}{{{{\"{}\"}}}}";
    switch (saga_call_kind(step.action.uri)) {
      case SagaCallKind::bus:
        return "s{}>\"{}\"]";
      case SagaCallKind::child:
        return "s{}[[\"{}\"]]";
      case SagaCallKind::participant:
      case SagaCallKind::event:
      case SagaCallKind::wait:
        return "s{}[\"{}\"]";
    }
    return {};
  }

  void lead_to(const std::string& node) {
    for (const Tail& tail : tails_) {
      text_ += tail.label.empty() ? fmt::format("  {} --> {}\n", tail.node, node)
                                  : fmt::format("  {} -- {} --> {}\n", tail.node, tail.label, node);
    }
  }

  std::string text_;
  std::vector<Tail> tails_;
  std::size_t steps_ = 0;
  std::size_t joints_ = 0;
};

}  // namespace

std::string drawn_as_tree(const SagaDefinition& definition) {
  std::string text = definition.name + "\n";
  std::size_t width = 0;
  for (const SagaStep& step : definition.steps) width = std::max(width, step.name.size());
  const std::vector<StepGroup> groups = groups_of(definition);
  for (std::size_t i = 0; i < groups.size(); ++i) draw_group(text, groups[i], i + 1 == groups.size(), width);
  return text;
}

std::string drawn_as_mermaid(const SagaDefinition& definition) { return MermaidDrawing().draw(definition); }

}  // namespace makegood
