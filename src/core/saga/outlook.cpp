// What an execution waits for, and until when.
#include <algorithm>

#include "base/saga_calls.hpp"
#include "core/saga/steering.hpp"

namespace makegood::core {
namespace {

class Watch {
 public:
  Watch(const Execution& execution, const SagaSurroundings& around) : execution_(execution), around_(around) {}

  void look_at(std::size_t index) {
    const StepFacts& facts = execution_.facts(index);
    for (const Direction direction : all_directions) {
      const bool is_used = !facts.track(direction).attempts.empty();
      if (is_used) look_at(facts.track(direction).attempts, call_of(execution_.step(index), direction).uri);
    }
    if (execution_.is_standing()) return;
    if (execution_.is_turned_back()) return look_back(index);
    look_forward(index);
  }

  void wake_at(std::optional<TimePoint> time, std::string_view why = {}) {
    if (!time || *time == TimePoint::max()) return;
    if (!outlook_.wake || *time < *outlook_.wake) outlook_.wake = time;
    if (!why.empty()) outlook_.waits_for = why;
  }

  Outlook take() {
    if (is_calling_) outlook_.waits_for.clear();
    return outlook_;
  }

 private:
  void look_at(const Attempts& attempts, std::string_view uri) {
    wake_at(attempts.next_deadline());
    for (const Attempt& attempt : attempts.all()) {
      is_calling_ = is_calling_ || attempt.state == Attempt::State::open;
      if (attempt.state == Attempt::State::accepted) outlook_.waits_for = child_of(uri) ? "child" : "callback";
    }
  }

  /// One whose time has come and that was not begun waits for something else: its participant, or its turn.
  void look_at_retry(std::size_t index, Direction direction) {
    const StepTrack& track = execution_.facts(index).track(direction);
    if (track.attempts.empty() || track.attempts.is_under_way() || track.may_be_tried(around_.now())) return;
    const bool is_missing = around_.is_missing(call_of(execution_.step(index), direction).uri);
    wake_at(track.next_at, is_missing ? "participant" : "retry");
  }

  void look_forward(std::size_t index) {
    const StepFacts& facts = execution_.facts(index);
    if (facts.is_finished() || execution_.step(index).group != execution_.current_group()) return;
    look_at_retry(index, Direction::action);
    if (!facts.checks().empty() && !facts.checks().is_ok()) look_at_retry(index, Direction::check);
    look_at_waiting(index);
    if (!facts.asked_until() || facts.decision()) return;
    wake_at(facts.asked_until());
    outlook_.waits_for = "approval";
  }

  void look_at_waiting(std::size_t index) {
    const auto& until = execution_.facts(index).awaited_until();
    if (!until) return;
    const bool is_event = saga_call_kind(execution_.step(index).action.uri) == SagaCallKind::event;
    wake_at(until);
    outlook_.waits_for = is_event ? "event" : "timer";
  }

  void look_back(std::size_t index) {
    const StepFacts& facts = execution_.facts(index);
    if (execution_.is_settled(index) || facts.is_given_up() || facts.compensations().empty()) return;
    look_at_retry(index, Direction::compensation);
    if (facts.compensations().is_under_way()) return;
    // Past that time, and not stalled: it is not its turn.
    const TimePoint stalls = stalls_at(execution_, index, around_);
    if (!facts.is_stalled() && stalls > around_.now()) wake_at(stalls);
    wake_at(gives_up_at(execution_, index, around_));
  }

  const Execution& execution_;
  const SagaSurroundings& around_;
  Outlook outlook_;
  bool is_calling_ = false;
};

Outlook outlook_before(const Execution& execution, const SagaSurroundings& around) {
  if (execution.begins_at() <= around.now()) return {};
  return {.waits_for = "start", .wake = execution.begins_at()};
}

}  // namespace

Outlook outlook_of(const Execution& execution, const SagaDecisions& decided, const SagaSurroundings& around) {
  if (execution.has_ended()) return {};
  if (!execution.has_begun()) return outlook_before(execution, around);
  if (!execution.definition()) return {};
  Watch watch(execution, around);
  for (std::size_t index = 0; index < execution.step_count(); ++index) watch.look_at(index);
  if (!execution.is_standing())
    watch.wake_at(decided.blocked_until, decided.is_blocked_by_nobody ? "participant" : "circuit");
  const Duration deadline = execution.definition()->deadline;
  const bool may_end_by_time = !execution.is_turned_back() && !execution.is_standing() && !execution.has_passed_pivot();
  if (deadline > Duration::zero() && may_end_by_time) {
    watch.wake_at(execution.begun_at() + deadline + around.downtime_since(execution.begun_at()));
  }
  return watch.take();
}

}  // namespace makegood::core
