#include "api/saga_troubles.hpp"

#include <fmt/format.h>

#include "api/shell_word.hpp"

namespace makegood::api {
namespace {

std::string many_of(std::size_t count, const SagaCounts& counts) {
  return fmt::format("{} execution{} of saga {}", count, count == 1 ? "" : "s", counts.definition);
}

std::string told_of(const SagaCounts& counts) {
  const bool is_one = counts.count == 1;
  const std::string many = many_of(counts.count, counts);
  if (counts.state == SagaState::manual) return fmt::format("{} wait{} for a person.", many, is_one ? "s" : "");
  return fmt::format("{} {} failed: something is open that could not be undone.", many, is_one ? "has" : "have");
}

/// Its alarm names the participant.
Trouble unattended(const SagaCounts& counts) {
  const std::size_t count = counts.unattended_count;
  return {.what = fmt::format("{} wait{} for a destination that is not registered, or for a function that no node has.",
                              many_of(count, counts), count == 1 ? "s" : ""),
          .count = count,
          .held_by = "a missing participant",
          .advice = fmt::format("makegood saga list --state {} --definition {}", to_string(counts.state),
                                shell_word(counts.definition))};
}

}  // namespace

std::vector<Trouble> troubles_of_sagas(const std::vector<SagaCounts>& counts) {
  std::vector<Trouble> troubles;
  for (const SagaCounts& each : counts) {
    if (each.unattended_count > 0) troubles.push_back(unattended(each));
    const bool is_trouble = each.state == SagaState::manual || each.state == SagaState::failed;
    if (!is_trouble || each.count == 0) continue;
    troubles.push_back({.what = told_of(each),
                        .count = each.count,
                        .held_by = each.state == SagaState::manual ? "a decision" : "what is open",
                        .advice = fmt::format("makegood saga list --state {} --definition {}", to_string(each.state),
                                              shell_word(each.definition))});
  }
  return troubles;
}

}  // namespace makegood::api
