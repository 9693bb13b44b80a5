// What a saga is made of: steps, how each is undone, and what to do when one fails. A definition has a name and a
// version; once an execution has used a version, it never changes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "makegood/clock.hpp"
#include "makegood/retry_policy.hpp"

namespace makegood {

/// What a participant promises. It decides what is safe to repeat, and what has to be waited for.
enum class SagaPromise {
  barrier,  ///< Keeps its answers and refuses an action after its compensation, in one transaction with the effect.
  keyed,    ///< Recognises a repeated key, and never runs a request after its deadline.
  late,     ///< Recognises a repeated key, but may run a request late.
  plain,    ///< Recognises nothing: an attempt whose outcome is unknown is for a person to settle.
};

/// How an attempt ended, as far as anybody knows.
enum class SagaOutcome {
  ok,
  fail,     ///< Certainly not done, and it will not be: a business failure with a code.
  retry,    ///< Certainly not done; it may be tried again.
  unknown,  ///< It may have been done.
};

/// What a failed step leads to.
enum class FailureAction { retry, compensate, manual, skip };

struct FailureRule {
  std::string code;  ///< Of the failure; `*` for every other one.
  FailureAction action = FailureAction::compensate;
  std::uint32_t retries = 0;  ///< Of `retry`: how often; then the default counts.
  std::string reason = {};    ///< Of `manual`: what the operator reads.
  bool operator==(const FailureRule&) const = default;
};

/// What becomes of a start whose key another execution holds.
enum class SagaOnBusy {
  queue,   ///< It waits as `pending`, and is begun in its turn.
  reject,  ///< It ends as `cancelled`.
  refer,   ///< Likewise, and its output names the execution that holds the key. Called `return` outside C++.
};

/// Something to call: `fn:charge`, `http:orders/create` (a destination and a path below its URL) or `http(s)://…`.
struct SagaCall {
  std::string uri;
  /// A JSON text with `${…}` in it. Empty: the execution's input; for a compensation `{"input":…,"output":…}`.
  std::string input = {};
  /// Of a compensation whose action has no known output: used instead of `input`.
  std::string if_unknown = {};
  bool operator==(const SagaCall&) const = default;
};

/// Somebody has to agree before the first attempt.
struct SagaApproval {
  std::string reason = {};
  Duration timeout = {};  ///< 0: it waits for ever.
  FailureAction on_timeout = FailureAction::manual;
  bool operator==(const SagaApproval&) const = default;
};

/// The step is carried out once for each element of a list, each time as a step of its own: `ship.0`, `ship.1` …
struct SagaForEach {
  std::string list = {};           ///< A JSON text with `${…}`: the list, or where it is.
  std::uint32_t max = 100;         ///< So many elements at most; otherwise a person is asked.
  std::uint32_t concurrency = 10;  ///< So many are under way at the same time.
  bool operator==(const SagaForEach&) const = default;
};

struct SagaStep {
  std::string name;
  std::size_t group = 0;  ///< Steps of one group run in parallel; groups run one after another. Ascending, from 0.
  SagaCall action = {};
  std::optional<SagaCall> compensation = {};
  std::optional<SagaCall> check = {};  ///< Looks up by key whether the action was done. Has no effect.
  bool has_no_effect = false;          ///< There is nothing to undo.
  bool is_pivot = false;               ///< Once it may be done, the execution only goes forward.
  SagaPromise participant = SagaPromise::late;
  Duration timeout = std::chrono::seconds(30);  ///< Of one attempt, the participant's longest run included.
  Duration compensation_timeout = std::chrono::seconds(30);
  RetryPolicy retry = {.attempts_max = 6};
  std::vector<FailureRule> on_failure = {};
  std::map<std::string, SagaOutcome, std::less<>> outcomes = {};  ///< What a code means here, before every table.
  std::optional<SagaApproval> approval = {};
  std::optional<SagaForEach> for_each = {};
  std::string condition = {};  ///< A `${…}` text; the step is left out when it is false, null, 0 or empty. Empty: none.
  bool operator==(const SagaStep&) const = default;
};

struct SagaDefinition {
  std::string name;
  std::int64_t version = 0;                         ///< 1, 2, 3 …; 0: not stored yet.
  Duration deadline = {};                           ///< From the start, without our own downtime; 0: none.
  Duration timeout = std::chrono::minutes(5);       ///< Of active time: waiting does not count. 0: none.
  Duration give_up_after = std::chrono::hours(24);  ///< How long compensations are retried.
  bool compensates_in_parallel = false;             ///< Instead of in reverse order.
  SagaOnBusy on_busy = SagaOnBusy::queue;           ///< A start may say something else.
  std::string output = {};                          ///< A JSON text with `${…}`: what the execution returns.
  std::string on_end_topic = {};                    ///< An outbox message tells that it has ended. Empty: none.
  std::vector<SagaStep> steps = {};
  bool operator==(const SagaDefinition&) const = default;
};
using SagaDefinitionPtr = std::shared_ptr<const SagaDefinition>;

std::string_view to_string(SagaPromise promise);
std::string_view to_string(SagaOutcome outcome);
std::string_view to_string(FailureAction action);
std::string_view to_string(SagaOnBusy on_busy);
std::optional<SagaPromise> saga_promise_from(std::string_view text);
std::optional<SagaOutcome> saga_outcome_from(std::string_view text);
std::optional<FailureAction> failure_action_from(std::string_view text);
std::optional<SagaOnBusy> saga_on_busy_from(std::string_view text);

}  // namespace makegood
