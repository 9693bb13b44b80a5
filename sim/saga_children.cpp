// Executions that are steps of others, and steps that are repeated: what the world knows of them, and what the checker
// demands.
#include <algorithm>
#include <string>

#include "base/saga_calls.hpp"
#include "sim/saga_world.hpp"

namespace makegood::sim {

using core::RecordKind;
using core::SagaRecord;

/// One for each round.
std::vector<Sequence> SagaChecker::children_of(Sequence number, const std::string& step) const {
  std::vector<Sequence> children;
  const SagaTables& tables = database_.tables();
  for (const auto& [id, child] : tables.starts) {
    const auto parent = core::read_parent(*tables.log.at(child));
    if (parent && parent->execution == id_of(number) && parent->step == step) children.push_back(child);
  }
  return children;
}

/// A child that has failed has something open: it is not undone.
int SagaChecker::effects_of(Sequence number, const std::string& step) {
  const SagaStep* defined = stories_[number].find(step);
  const bool is_child = defined != nullptr && child_of(defined->action.uri);
  if (!is_child) return participants_.ledger(id_of(number), step).effects;
  const SagaTables& tables = database_.tables();
  return static_cast<int>(std::ranges::count_if(children_of(number, step), [&](Sequence child) {
    const auto end = tables.ends.find(child);
    if (end == tables.ends.end()) return false;
    const bool is_open = end->second.summary.state == SagaState::failed && !end->second.open.empty();
    return end->second.summary.state == SagaState::completed || is_open;
  }));
}

/// It may be started anew under the id of a child that the database has forgotten.
void SagaChecker::note_forgotten_parent(Sequence number) {
  const SagaTables& tables = database_.tables();
  const Message& start = *tables.log.at(number);
  const auto parent = core::read_parent(start);
  const auto found =
      parent ? tables.starts.find({std::string(start.tenant_id), parent->execution}) : tables.starts.end();
  if (found != tables.starts.end() && tainted_.contains(found->second)) tainted_.insert(number);
}

/// Its start is written in the commit that begins the step.
void SagaChecker::check_child(Sequence number, const SagaRecord& record, const std::vector<NewMessage>& requests) {
  const SagaStep* step = stories_[number].find(record.step);
  const bool is_begun = record.kind == RecordKind::started && record.direction == core::Direction::action;
  if (step == nullptr || !is_begun || !child_of(step->action.uri)) return;
  const auto starts_it = [&](const NewMessage& row) {
    return is_saga_start(row.topic) && row.headers.at("saga-parent") == id_of(number) &&
           row.headers.at("saga-parent-step") == record.step;
  };
  const bool is_asked = std::ranges::any_of(requests, starts_it) == (record.attempt == 1);
  if (!is_asked) violated("child", number, "begins " + record.step + " without starting it once");
}

/// Its list is read once.
void SagaChecker::check_spread(Sequence number, const SagaRecord& record) {
  const SagaStory& story = stories_[number];
  const SagaStep* step = story.find(record.step);
  const bool is_its_turn = step != nullptr && step->for_each && !story.is_turned_back && !story.has_ended;
  if (!is_its_turn) violated("for_each", number, "spreads out " + record.step + ", which is not to be");
}

/// No more of its siblings are under way than its definition says.
void SagaChecker::check_item(Sequence number, const SagaRecord& record) {
  const SagaStory& story = stories_[number];
  const std::string list = record.step.substr(0, record.step.find('.'));
  const bool is_first = record.direction == core::Direction::action && record.attempt == 1 && record.round == 1;
  if (!is_first || !story.lists.contains(list)) return;
  std::uint32_t under_way = 0;
  for (const SagaStep& other : story.definition->steps) {
    const auto seen = story.steps.find(other.name);
    const bool is_sibling = other.name.starts_with(list + ".") && other.name != record.step;
    const bool is_begun = is_sibling && seen != story.steps.end() && !seen->second.actions.empty();
    under_way += is_begun && !story.is_finished(other) ? 1U : 0U;
  }
  if (under_way >= story.at_once.at(list)) violated("for_each", number, "begins " + record.step + " beside too many");
}

}  // namespace makegood::sim
