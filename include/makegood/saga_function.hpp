// Functions of this program as steps of a saga, with types of their own for what goes in and what comes out.
//
//   StepResult<Charge> charge(Step&, const Order&);
//   StepResult<> refund(Step&, const Order&, const std::optional<Charge>&);   // Empty: nobody knows what was answered.
//
// A function answers its value, `fail("CODE")` or `retry("CODE")`; both say that certainly nothing was done. An
// `Error`, and any exception that is no Fail, is unknown: it may have been done, so it is asked again with the same
// key.
#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "makegood/fields.hpp"
#include "makegood/saga_barrier.hpp"
#include "makegood/saga_step.hpp"

namespace makegood {

/// What a step's function learns of its call. It lives as long as the call.
class Step {
 public:
  Step(const SagaStepInput& input, const FieldReader* outputs) : input_(input), outputs_(outputs) {}

  /// The same in every attempt: what makes a repeat recognisable.
  std::string_view key() const { return input_.key; }
  /// Of a compensation: the key of the action that must have no effect.
  std::string_view action_key() const { return input_.call.action_key; }
  std::string_view execution() const { return input_.call.execution; }
  std::string_view tenant_id() const { return input_.tenant_id; }
  std::string_view name() const { return input_.call.step; }
  std::uint32_t round() const { return input_.call.round; }
  std::uint32_t attempt() const { return input_.call.attempt; }
  /// Nothing is to begin after it.
  TimePoint deadline() const { return input_.call.deadline; }
  /// Asked to stop at the deadline, and when the program ends.
  const std::stop_token& stop_token() const { return input_.stop; }
  /// What an earlier step has answered, if this one says `.reads("name")`; empty: it was skipped, or nobody knows.
  template <class T>
  std::optional<T> output(std::string_view step) const;
  const SagaStepInput& raw() const { return input_; }

 private:
  const SagaStepInput& input_;
  const FieldReader* outputs_;
};

template <class T>
std::optional<T> Step::output(std::string_view step) const {
  const auto found = outputs_ != nullptr ? outputs_->member(step) : std::nullopt;
  if (!found) throw std::logic_error("This step does not say .reads(\"" + std::string(step) + "\").");
  std::optional<T> value;
  if (const auto read = fields::read(*found, value, {}); !read) throw std::runtime_error(read.error().message);
  return value;
}

/// What a step's function answers.
template <class T = void>
class [[nodiscard]] StepResult {
 public:
  StepResult(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  StepResult(const Fail& fail) : state_(SagaStepResult::fail(fail.code, fail.detail)) {}
  StepResult(const Retry& retry) : state_(SagaStepResult::retry(retry.code, retry.detail)) {}
  StepResult(const Error& error) : state_(SagaStepResult::unknown(std::string(to_string(error.code)), error.message)) {}

  SagaStepResult into() && {
    if (state_.index() == 0) return SagaStepResult::ok(to_json(std::get<0>(state_)));
    return std::get<1>(std::move(state_));
  }

 private:
  std::variant<T, SagaStepResult> state_;
};

template <>
class [[nodiscard]] StepResult<void> {
 public:
  StepResult() = default;
  StepResult(const Fail& fail) : state_(SagaStepResult::fail(fail.code, fail.detail)) {}
  StepResult(const Retry& retry) : state_(SagaStepResult::retry(retry.code, retry.detail)) {}
  StepResult(const Error& error) : state_(SagaStepResult::unknown(std::string(to_string(error.code)), error.message)) {}

  SagaStepResult into() && { return std::move(state_); }

 private:
  SagaStepResult state_ = {};
};

/// A participant's own database: each call has a transaction, with the barrier's row in it. Thread-safe.
template <class Native>
class StepDatabase {
 public:
  virtual ~StepDatabase() = default;
  virtual SagaStepResult act(const BarrierKey& key, const std::function<SagaStepResult(Native*)>& effect) = 0;
  virtual SagaStepResult compensate(const BarrierKey& key,
                                    const std::function<SagaStepResult(Native*, std::string_view output)>& undo) = 0;
};

/// A function that gets the open transaction as its last argument, and neither commits nor rolls back:
///
///   StepResult<Charge> charge(Step&, const Order&, sqlite3*);
///   StepResult<> refund(Step&, const Order&, const Charge&, sqlite3*);   // Only called for what was done.
template <class Native, class Function>
struct InTransaction {
  std::shared_ptr<StepDatabase<Native>> database;
  Function function;
};
template <class Native, class Function>
InTransaction<Native, Function> transaction(std::shared_ptr<StepDatabase<Native>> database, Function function) {
  return {std::move(database), std::move(function)};
}

namespace functions {

template <class Returned>
struct Unwrapped {
  using Type = Returned;
};
template <class T>
struct Unwrapped<StepResult<T>> {
  using Type = T;
};

template <class Function, class Input>
struct Traits {
  using Output = typename Unwrapped<std::invoke_result_t<Function&, Step&, const Input&>>::Type;
};
template <class Native, class Function, class Input>
struct Traits<InTransaction<Native, Function>, Input> {
  using Output = typename Unwrapped<std::invoke_result_t<Function&, Step&, const Input&, Native*>>::Type;
};
template <class Function>
inline constexpr bool is_in_transaction = false;
template <class Native, class Function>
inline constexpr bool is_in_transaction<InTransaction<Native, Function>> = true;

/// The function's answer, whatever form it has.
template <class Call>
SagaStepResult answer_of(const Call& call) try {
  using Returned = std::invoke_result_t<const Call&>;
  using Output = typename Unwrapped<Returned>::Type;
  if constexpr (std::is_void_v<Returned>) {
    call();
    return SagaStepResult::ok();
  } else if constexpr (std::same_as<Returned, StepResult<Output>>) {
    return call().into();
  } else {
    return StepResult<Output>(call()).into();
  }
} catch (const Retry& retry) {
  return SagaStepResult::retry(retry.code, retry.detail);
} catch (const Fail& fail) {
  return SagaStepResult::fail(fail.code, fail.detail);
}

/// A function whose arguments cannot be read has certainly done nothing.
inline SagaStepResult refused(const Error& error) {
  return SagaStepResult::fail(std::string(to_string(error.code)), error.message);
}

template <class Function, class Input>
SagaStepResult act(Function& function, Step& step, const Input& input) {
  return answer_of([&] { return function(step, input); });
}
template <class Native, class Function, class Input>
SagaStepResult act(InTransaction<Native, Function>& function, Step& step, const Input& input) {
  return function.database->act(barrier_key(step.raw()), [&](Native* native) {
    return answer_of([&] { return function.function(step, input, native); });
  });
}

template <class Output, class Function, class Input>
SagaStepResult undo(Function& function, Step& step, const Input& input, const FieldReader& output) {
  if constexpr (std::is_void_v<Output>) {
    return answer_of([&] { return function(step, input); });
  } else {
    std::optional<Output> known;
    if (const auto read = fields::read(output, known, "output"); !read) return refused(read.error());
    return answer_of([&] { return function(step, input, std::as_const(known)); });
  }
}
template <class Output, class Native, class Function, class Input>
SagaStepResult undo(InTransaction<Native, Function>& function, Step& step, const Input& input, const FieldReader&) {
  return function.database->compensate(barrier_key(step.raw()), [&](Native* native, std::string_view stored) {
    if constexpr (std::is_void_v<Output>) {
      return answer_of([&] { return function.function(step, input, native); });
    } else {
      const auto output = from_json<Output>(stored);
      if (!output) return refused(output.error());
      return answer_of([&] { return function.function(step, input, *output, native); });
    }
  });
}

/// What is sent to a function: the execution's input alone, or beside what it reads.
struct Body {
  FieldReader input;
  std::optional<FieldReader> output = {};
  std::optional<FieldReader> outputs = {};
};
Result<Body> body_of_action(std::string_view json, bool reads_others);
Result<Body> body_of_compensation(std::string_view json);

template <class Input, class Call>
SagaStepResult call_with(const SagaStepInput& raw, const Result<Body>& body, const Call& call) {
  if (!body) return refused(body.error());
  Input input = {};
  if (const auto read = fields::read(body->input, input, "input"); !read) return refused(read.error());
  Step step(raw, body->outputs ? &*body->outputs : nullptr);
  return call(step, std::as_const(input));
}

}  // namespace functions
}  // namespace makegood
