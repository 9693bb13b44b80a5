#include "api/saga_troubles.hpp"

#include <fmt/format.h>

#include "api/shell_word.hpp"
#include "makegood/spi/registry.hpp"

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

bool tells_of_sagas(const Error& error, const std::string& store_url) {
  if (error.code != Errc::schema_mismatch) return false;
  return saga_tables_state(store_url).value_or(SagaTablesState::missing) != SagaTablesState::missing;
}

Trouble trouble_of_sagas(const Error& error, const std::string& shown_url) {
  const bool is_schema = error.code == Errc::schema_mismatch;
  return {.weight = Trouble::Weight::critical,
          .code = std::string(to_string(error.code)),
          .what = is_schema ? "Sagas are not carried out: " + error.message : error.message,
          .held_by = "the store",
          .advice = fmt::format("makegood {} --store {}", is_schema ? "migrate --saga-log makegood_saga" : "doctor",
                                shell_word(shown_url))};
}

}  // namespace makegood::api
