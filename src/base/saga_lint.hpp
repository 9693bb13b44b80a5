// What is allowed in the definition of a saga and is probably not meant: steps that are never carried out, timeouts
// that cannot fit, rules that never match.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/saga_check.hpp"

namespace makegood {

enum class LintSeverity {
  error,  ///< The definition is refused.
  warning,
  note,  ///< Good to know; nothing has to be done.
};
std::string_view to_string(LintSeverity severity);

struct SagaFinding {
  LintSeverity severity = LintSeverity::warning;
  std::string_view rule;  ///< A stable word, as in `timeout_fit`.
  SagaMistake where;
};

/// Of a definition without mistakes; in the order of its steps.
std::vector<SagaFinding> lint(const SagaDefinition& definition);

/// What a start has to have in its input, as in `customer.name`; an empty text: all of the input is passed on.
std::vector<std::string> parameters_of(const SagaDefinition& definition);
/// Templates that find nothing in this input, which is JSON.
std::vector<SagaFinding> lint_input(const SagaDefinition& definition, std::string_view input);

}  // namespace makegood
