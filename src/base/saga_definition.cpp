#include "makegood/saga_definition.hpp"

#include "base/saga_settings.hpp"

namespace makegood {
namespace {

template <class Value>
std::optional<Value> value_with(std::string_view text, Words words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == text) return static_cast<Value>(i);
  }
  return std::nullopt;
}

}  // namespace

std::string_view to_string(SagaPromise promise) { return promise_words[static_cast<std::size_t>(promise)]; }
std::string_view to_string(SagaOutcome outcome) { return outcome_words[static_cast<std::size_t>(outcome)]; }
std::string_view to_string(FailureAction action) { return failure_words[static_cast<std::size_t>(action)]; }
std::string_view to_string(SagaOnBusy on_busy) { return busy_words[static_cast<std::size_t>(on_busy)]; }

std::optional<SagaPromise> saga_promise_from(std::string_view text) {
  return value_with<SagaPromise>(text, promise_words);
}
std::optional<SagaOutcome> saga_outcome_from(std::string_view text) {
  return value_with<SagaOutcome>(text, outcome_words);
}
std::optional<FailureAction> failure_action_from(std::string_view text) {
  return value_with<FailureAction>(text, failure_words);
}
std::optional<SagaOnBusy> saga_on_busy_from(std::string_view text) { return value_with<SagaOnBusy>(text, busy_words); }

}  // namespace makegood
