#include "core/saga/repetition.hpp"

#include <memory>
#include <utility>

namespace makegood::core {
namespace {

/// Whether it is wanted was decided for all of them.
SagaStep step_for(const SagaStep& repeated, std::size_t index) {
  SagaStep step = repeated;
  step.name = item_name(repeated.name, index);
  step.for_each.reset();
  step.condition.clear();
  return step;
}

}  // namespace

std::string item_name(std::string_view step, std::size_t index) {
  return std::string(step).append(".").append(std::to_string(index));
}

SpreadDefinition spread_out(const SagaDefinitionPtr& pinned, const SagaLists& lists) {
  if (!pinned || lists.empty()) return {pinned, SagaItems(pinned ? pinned->steps.size() : 0)};
  SagaDefinition spread = *pinned;
  spread.steps.clear();
  SagaItems items;
  for (const SagaStep& step : pinned->steps) {
    const auto list = lists.find(step.name);
    if (list == lists.end() || !step.for_each) {
      spread.steps.push_back(step);
      items.emplace_back();
      continue;
    }
    for (std::size_t index = 0; index < list->second.size(); ++index) {
      spread.steps.push_back(step_for(step, index));
      items.emplace_back(SagaItem{step.name, index, list->second[index], step.for_each->concurrency});
    }
  }
  return {std::make_shared<const SagaDefinition>(std::move(spread)), std::move(items)};
}

}  // namespace makegood::core
