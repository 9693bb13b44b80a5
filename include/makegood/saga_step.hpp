// What a function that is a step of a saga is asked to do, and what it answers.
#pragma once

#include <exception>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include "makegood/delivery.hpp"
#include "makegood/saga_definition.hpp"

namespace makegood {

/// What a step's function is asked to do.
struct SagaStepInput {
  const StepCall& call;
  std::string_view key;  ///< Of this step, direction and round: the same in every attempt.
  std::string_view tenant_id;
  std::string_view input;  ///< JSON.
  /// Asked to stop when its time is over or the program ends. Whoever obeys says what came of it, as ever.
  std::stop_token stop = {};
};

/// Certainly not done, and it will not be: returned or thrown by a step's function.
struct Fail : std::exception {
  std::string code;
  std::string detail;
  Fail(std::string with_code, std::string with_detail) : code(std::move(with_code)), detail(std::move(with_detail)) {}
  const char* what() const noexcept override { return code.c_str(); }
};
/// Certainly not done; it may be tried again.
struct Retry : Fail {
  using Fail::Fail;
};
inline Fail fail(std::string code, std::string detail = {}) { return {std::move(code), std::move(detail)}; }
inline Retry retry(std::string code, std::string detail = {}) { return {std::move(code), std::move(detail)}; }

/// What came of it. An exception counts as unknown, because it may have been thrown after the effect; `Fail` and
/// `Retry` of `saga_function.hpp` are the exceptions to it.
struct SagaStepResult {
  SagaOutcome outcome = SagaOutcome::ok;
  std::string output = {};  ///< JSON; empty: none. What is no JSON, or too long, is left out, and the journal says so.
  std::string code = {};
  std::string detail = {};

  static SagaStepResult ok(std::string output = {}) { return {SagaOutcome::ok, std::move(output), {}, {}}; }
  /// Certainly not done, and it will not be.
  static SagaStepResult fail(std::string code, std::string detail = {}) {
    return {SagaOutcome::fail, {}, std::move(code), std::move(detail)};
  }
  /// Certainly not done; it may be tried again.
  static SagaStepResult retry(std::string code, std::string detail = {}) {
    return {SagaOutcome::retry, {}, std::move(code), std::move(detail)};
  }
  static SagaStepResult unknown(std::string code, std::string detail = {}) {
    return {SagaOutcome::unknown, {}, std::move(code), std::move(detail)};
  }
};
using SagaParticipant = std::function<SagaStepResult(const SagaStepInput&)>;

}  // namespace makegood
