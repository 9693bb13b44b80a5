#include "base/saga_children.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/mistakes.hpp"
#include "base/saga_calls.hpp"
#include "base/saga_json.hpp"

namespace makegood {
namespace {

bool has_pivot(const SagaDefinition& definition) { return std::ranges::any_of(definition.steps, &SagaStep::is_pivot); }

class ChildCheck {
 public:
  ChildCheck(SagaView& sagas, const SagaDefinition& definition) : sagas_(sagas), path_({definition.name}) {}

  Result<> run(const SagaDefinition& definition) {
    bool is_after_pivot = false;
    for (const SagaStep& step : definition.steps) {
      if (const auto child = child_of(step.action.uri)) MAKEGOOD_TRY(look_at(step, *child, is_after_pivot));
      is_after_pivot = is_after_pivot || step.is_pivot;
    }
    return {};
  }

 private:
  Result<> look_at(const SagaStep& step, const SagaChild& named, bool is_after_pivot) {
    const std::string name(named.name);
    if (std::ranges::find(path_, name) != path_.end()) return told(step, "a saga that it is itself a part of");
    if (path_.size() >= saga_depth_max) return told(step, "one saga more than the 8 that may stand inside one another");
    const auto row = MAKEGOOD_TRY(sagas_.definition(name, named.version));
    if (!row) return told(step, "a version that is not there; apply it first");
    const SagaDefinition child = MAKEGOOD_TRY(decode_saga_definition(row->document));
    const bool is_undone_as_unit = !step.is_pivot && !step.compensation && !step.has_no_effect && !is_after_pivot;
    if (is_undone_as_unit && has_pivot(child)) {
      return told(step,
                  "a saga with a pivot, which cannot be undone as one unit; make the step the pivot, or give it a "
                  "compensation");
    }
    path_.push_back(name);
    MAKEGOOD_TRY(run(child));
    path_.pop_back();
    return {};
  }

  Error told(const SagaStep& step, std::string_view what) const {
    return {Errc::invalid, fmt::format("The saga {}: step {} names {}, {}.", shown(path_.back()), shown(step.name),
                                       shown(step.action.uri), what)};
  }

  SagaView& sagas_;
  std::vector<std::string> path_;  ///< From the outermost one.
};

}  // namespace

void settle_child(SagaStep& step) {
  if (saga_call_kind(step.action.uri) != SagaCallKind::child) return;
  step.participant = SagaPromise::barrier;
  step.timeout = child_patience;
  if (!step.compensation) step.compensation_timeout = child_patience;
}

void settle_children(SagaDefinition& definition) {
  for (SagaStep& step : definition.steps) settle_child(step);
}

Result<> check_children(SagaView& sagas, const SagaDefinition& definition) {
  return ChildCheck(sagas, definition).run(definition);
}

}  // namespace makegood
