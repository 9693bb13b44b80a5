// A saga in C++: what documents can say, with functions as steps.
//
//   auto process = saga<Order>("orderProcess")
//                      .step("payment", charge).compensation(refund).timeout(10s)
//                      .pivot("confirm", confirm)
//                      .step("notify", notify).reads("payment");
//   node.add(process);
//   process.start(connection, order, {.id = "order-7"});
//
// What follows a step is about that step. Whether all of it makes sense is checked when it is registered.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "makegood/saga_definition.hpp"
#include "makegood/saga_function.hpp"

namespace makegood {

struct SagaFunction {
  std::string name;  ///< Steps call it as `fn:<name>`.
  SagaParticipant run;
};

/// A definition and the functions that it calls.
class SagaProcess {
 public:
  explicit SagaProcess(std::string name) { definition_.name = std::move(name); }

  const std::string& name() const { return definition_.name; }
  SagaDefinition definition() const;
  const std::vector<SagaFunction>& functions() const { return functions_; }
  /// Errc::invalid with every mistake.
  Result<> check() const;

 protected:
  using Reads = std::shared_ptr<std::vector<std::string>>;

  /// `is_beside`: in the group of the step before it.
  SagaStep& add_step(std::string name, bool is_beside);
  void add_waiting(std::string name, std::string uri, Duration timeout);
  /// The step that was added last. Before the first one it is a mistake, which `check` tells.
  SagaStep& last(std::string_view what);
  std::string add_function(const std::string& suffix, SagaParticipant run);

  SagaDefinition definition_ = {};
  std::vector<SagaFunction> functions_ = {};
  std::vector<Reads> reads_ = {};  ///< Of each step: whose outputs it reads.
  std::vector<std::string> mistakes_ = {};
  SagaStep nowhere_ = {};
};

struct SagaStartOptions {
  std::string id = {};  ///< The caller's name for it: a repeated start is the same execution. Empty: drawn.
  std::string key = {};
  std::string tenant_id = "default";
  std::optional<TimePoint> start_at = {};  ///< Not before; until then it is pending.
  std::string log = "makegood_saga";
};
struct SagaStart {
  std::string definition;
  std::string input;  ///< JSON.
  SagaStartOptions options = {};
};

/// `Input` is what an execution is started with, `Last` what the last step's function answers.
template <class Input, class Last = void>
class [[nodiscard]] Saga : public SagaProcess {
 public:
  using SagaProcess::SagaProcess;
  explicit Saga(SagaProcess parts) : SagaProcess(std::move(parts)) {}

  // Steps. A function is `Result f(Step&, const Input&)`; it may stand in `transaction(database, f)`.
  template <class Function>
  auto step(std::string name, Function function) && {
    return std::move(*this).with_action(std::move(name), std::move(function), false);
  }
  /// Runs in parallel with the step before it.
  template <class Function>
  auto beside(std::string name, Function function) && {
    return std::move(*this).with_action(std::move(name), std::move(function), true);
  }
  /// Once it may be done, the execution only goes forward.
  template <class Function>
  auto pivot(std::string name, Function function) && {
    auto next = std::move(*this).with_action(std::move(name), std::move(function), false);
    return std::move(next).pivot();
  }

  /// Done when somebody tells of the event: what that says is the step's output. 0: it is waited for as long as it
  /// takes.
  Saga&& event(std::string name, const std::string& event, Duration timeout = {}) && {
    return add_waiting(std::move(name), "event:" + event, timeout), std::move(*this);
  }
  /// Done when this time is over.
  Saga&& wait(std::string name, Duration time) && {
    return add_waiting(std::move(name), "wait:" + std::to_string(time.count()) + "us", {}), std::move(*this);
  }

  // Of the last step.
  /// `Result f(Step&, const Input&, const std::optional<Last>&)`: makes sure that the action has no effect.
  template <class Function>
  Saga&& compensation(Function function) && {
    SagaStep& step = last("compensation");
    if constexpr (std::same_as<Function, SagaCall>) {
      step.compensation = std::move(function);
    } else {
      step.compensation = SagaCall{.uri = add_function(".compensation", undo_with(std::move(function)))};
    }
    return std::move(*this);
  }
  Saga&& pivot() && { return last("pivot").is_pivot = true, std::move(*this); }
  /// There is nothing to undo.
  Saga&& no_effect() && { return last("no_effect").has_no_effect = true, std::move(*this); }
  /// Its functions may ask for `step.output<T>(name)` of these earlier steps.
  template <class... Names>
  Saga&& reads(const Names&... names) && {
    static_cast<void>(last("reads"));
    if (!reads_.empty()) (reads_.back()->emplace_back(names), ...);
    return std::move(*this);
  }
  Saga&& timeout(Duration timeout) && { return last("timeout").timeout = timeout, std::move(*this); }
  Saga&& compensation_timeout(Duration timeout) && {
    return last("compensation_timeout").compensation_timeout = timeout, std::move(*this);
  }
  Saga&& retry(RetryPolicy policy) && { return last("retry").retry = std::move(policy), std::move(*this); }
  Saga&& promises(SagaPromise promise) && { return last("promises").participant = promise, std::move(*this); }
  Saga&& on_failure(FailureRule rule) && {
    return last("on_failure").on_failure.push_back(std::move(rule)), std::move(*this);
  }
  Saga&& outcome(std::string code, SagaOutcome outcome) && {
    return last("outcome").outcomes[std::move(code)] = outcome, std::move(*this);
  }
  Saga&& approval(SagaApproval approval) && {
    return last("approval").approval = std::move(approval), std::move(*this);
  }
  /// A condition over `${input…}` and `${step…}`: the step is left out when it does not hold.
  Saga&& when(std::string condition) && { return last("when").condition = std::move(condition), std::move(*this); }
  /// Of a step that is a call, a message or another saga: once for each element of a list.
  Saga&& for_each(SagaForEach list) && { return last("for_each").for_each = std::move(list), std::move(*this); }
  Saga&& check_with(SagaCall call) && { return last("check_with").check = std::move(call), std::move(*this); }

  // Of the whole saga.
  Saga&& deadline(Duration deadline) && { return definition_.deadline = deadline, std::move(*this); }
  Saga&& active_timeout(Duration timeout) && { return definition_.timeout = timeout, std::move(*this); }
  Saga&& give_up_after(Duration time) && { return definition_.give_up_after = time, std::move(*this); }
  Saga&& compensates_in_parallel() && { return definition_.compensates_in_parallel = true, std::move(*this); }
  /// JSON with `${…}`: what an execution returns.
  Saga&& output(std::string json) && { return definition_.output = std::move(json), std::move(*this); }
  Saga&& on_end(std::string topic) && { return definition_.on_end_topic = std::move(topic), std::move(*this); }

  /// In the transaction that is open on the caller's own connection (`sqlite_saga.hpp`, `postgres_saga.hpp`): it counts
  /// if that commits. Answers the execution's id. Errc::conflict: the id was used with other input.
  template <class Connection>
  Result<std::string> start(Connection* connection, const Input& input, SagaStartOptions options = {}) const {
    return start_saga(connection, SagaStart{name(), to_json(input), std::move(options)});
  }

 private:
  template <class Function>
  auto with_action(std::string name, Function function, bool is_beside) && {
    SagaStep& step = add_step(std::move(name), is_beside);
    if constexpr (std::same_as<Function, SagaCall>) {
      step.action = std::move(function);
      return Saga<Input, std::string>(std::move(*this));
    } else {
      if (functions::is_in_transaction<Function>) step.participant = SagaPromise::barrier;
      step.action.uri = add_function("", act_with(std::move(function)));
      return Saga<Input, typename functions::Traits<Function, Input>::Output>(std::move(*this));
    }
  }
  template <class Function>
  SagaParticipant act_with(Function function) {
    return [function = std::move(function), reads = reads_.back()](const SagaStepInput& raw) mutable {
      return functions::call_with<Input>(
          raw, functions::body_of_action(raw.input, !reads->empty()),
          [&](Step& step, const Input& input) { return functions::act(function, step, input); });
    };
  }
  template <class Function>
  static SagaParticipant undo_with(Function function) {
    return [function = std::move(function)](const SagaStepInput& raw) mutable {
      const auto body = functions::body_of_compensation(raw.input);
      return functions::call_with<Input>(raw, body, [&](Step& step, const Input& input) {
        return functions::undo<Last>(function, step, input, *body->output);
      });
    };
  }
};

template <class Input>
Saga<Input> saga(std::string name) {
  return Saga<Input>(std::move(name));
}

}  // namespace makegood
