// What somebody could do about an execution that does not go on by itself: the exact commands.
#include <fmt/format.h>

#include <algorithm>

#include "api/saga_view.hpp"
#include "api/shell_word.hpp"
#include "base/saga_calls.hpp"

namespace makegood::api {
namespace {

class SagaAdviser {
 public:
  SagaAdviser(const SagaExecutionView& view, const core::Execution& execution) : view_(view), execution_(execution) {}

  std::vector<SagaAdvice> find() {
    switch (view_.state) {
      case SagaState::paused:
        add("go on", "resume");
        break;
      case SagaState::manual:
        about_manual();
        break;
      case SagaState::failed:
        about_failed();
        break;
      case SagaState::running:
      case SagaState::waiting:
      case SagaState::compensating:
        break;
      case SagaState::pending:
      case SagaState::completed:
      case SagaState::compensated:
      case SagaState::cancelled:
        return {};
    }
    if (!has_ended(view_.state)) about_gates();
    if (view_.state == SagaState::compensating) about_stalled();
    return std::move(found_);
  }

 private:
  void add(std::string why, std::string_view verb, const std::string& step = {}, std::string_view choice = {}) {
    std::string command = fmt::format("makegood saga {} {}", verb, shell_word(view_.id));
    if (!step.empty()) command += " " + shell_word(step);
    if (!choice.empty()) command.append(" ").append(choice);
    if (view_.tenant_id != default_tenant_id) command += " --tenant " + shell_word(view_.tenant_id);
    found_.push_back({std::move(why), command + " --reason WHY"});
  }

  void about_gates() {
    for (const SagaStepView& step : view_.steps) {
      if (step.is_awaiting) about_event(step);
      if (!step.is_asked) continue;
      add("let it go on", "decide", step.name, "approve");
      add("do not", "decide", step.name, "reject");
    }
  }

  void about_event(const SagaStepView& step) {
    const std::string_view event = event_of(step.action);
    if (event.empty()) return add("do not wait any longer", "skip", step.name);
    std::string command =
        fmt::format("makegood saga event {} {}", shell_word(view_.id), shell_word(std::string(event)));
    if (view_.tenant_id != default_tenant_id) command += " --tenant " + shell_word(view_.tenant_id);
    found_.push_back({"its event has come", command + " --data JSON"});
  }

  void about_stalled() {
    for (const SagaStepView& step : view_.steps) {
      if (!step.is_stalled || step.state != SagaStepState::compensating) continue;
      add("it was undone by hand", "resolve", step.name, "undone");
    }
  }

  void about_manual() {
    const auto index = execution_.index_of(view_.failed_step);
    if (!index) return add("go on", "resume");
    const SagaStepView& step = view_.steps[*index];
    if (step.is_asked) return;
    if (execution_.is_turned_back()) {
      add("try to undo it again", "retry", step.name);
      return add("it was undone by hand", "resolve", step.name, "undone");
    }
    if (step.state == SagaStepState::unknown) {
      add("it was done", "resolve", step.name, "done");
      add("it was not done", "resolve", step.name, "not_done");
    }
    add("try it again", "retry", step.name);
    add("leave it out", "skip", step.name);
    if (!execution_.has_passed_pivot()) add("undo everything", "compensate");
  }

  void about_failed() {
    if (view_.steps.empty()) {
      found_.push_back({"define it", "makegood apply -f FILE"});
      return add("then begin it", "retry");
    }
    if (view_.open.empty()) return;
    add("try to undo what is open", "retry");
    for (const std::string& step : view_.open) add(step + " was undone by hand", "resolve", step, "undone");
  }

  const SagaExecutionView& view_;
  const core::Execution& execution_;
  std::vector<SagaAdvice> found_;
};

}  // namespace

std::vector<SagaAdvice> advice_for(const SagaExecutionView& view, const core::Execution& execution) {
  return SagaAdviser(view, execution).find();
}

}  // namespace makegood::api
