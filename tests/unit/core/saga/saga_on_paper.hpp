// One execution, decided on by hand: no shard, no store. Time goes on when a test says so.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/log_row.hpp"
#include "core/saga/judgement.hpp"
#include "core/saga/steering.hpp"

namespace makegood::core {

using namespace std::chrono_literals;

inline MessagePtr saga_start(const std::string& input = "{}", Sequence number = 1) {
  const std::array texts = {MessageText{&Message::event_id, "x"}, MessageText{&Message::tenant_id, "default"},
                            MessageText{&Message::topic, "d"}, MessageText{&Message::content, input}};
  auto row = new_message(texts);
  row->sequence = number;
  return row;
}

/// With a compensation, and an attempt that lasts for ten seconds.
inline SagaStep saga_step(const std::string& name, std::size_t group, SagaPromise promise = SagaPromise::keyed) {
  SagaStep step{.name = name, .group = group, .participant = promise, .timeout = 10s, .compensation_timeout = 10s};
  step.action.uri = "fn:" + name;
  step.compensation = SagaCall{.uri = "fn:undo-" + name};
  step.retry = {.attempts_max = 2, .base = 1s, .jitter = 0};
  return step;
}

class SagaSurroundingsByHand final : public SagaSurroundings {
 public:
  TimePoint now() const override { return time; }
  double unit_random() override { return 0.5; }
  bool take_place(const std::string& uri) override { return !closed.contains(uri); }
  TimePoint next_place(const std::string& /*uri*/) const override { return time + 5s; }
  std::string participant_at(const std::string& uri) const override { return uri; }
  bool is_missing(const std::string& uri) const override { return missing.contains(uri); }
  Duration downtime_since(TimePoint /*since*/) const override { return downtime; }
  bool do_deadlines_count() const override { return counts; }
  std::size_t revisions_max() const override { return longest; }

  TimePoint time = TimePoint(1000h);
  std::set<std::string> closed = {};
  std::set<std::string> missing = {};
  Duration downtime = {};
  bool counts = true;
  std::size_t longest = saga_revisions_max;
};

class SagaOnPaper : public testing::Test {
 protected:
  /// `a`, `b` … one after the other.
  static SagaDefinition chain(std::initializer_list<const char*> names, SagaPromise promise = SagaPromise::keyed) {
    SagaDefinition definition{.name = "d", .version = 1};
    for (const char* name : names) {
      definition.steps.push_back(saga_step(name, definition.steps.size(), promise));
    }
    return definition;
  }

  void begin_with(SagaDefinition definition, const std::string& input = "{}") {
    execution_ = std::make_unique<Execution>(saga_start(input));
    definition_ = std::make_shared<const SagaDefinition>(std::move(definition));
    Draft draft = new_draft();
    begin(draft, definition_);
    advance(draft);
  }
  Draft new_draft() { return {*execution_, around_, decided_}; }
  void go_on() {
    Draft draft = new_draft();
    advance(draft);
  }
  void pass(Duration duration) {
    around_.time += duration;
    go_on();
  }

  /// The newest attempt of this step and direction is answered.
  void answer(const std::string& step, SagaOutcome outcome, const std::string& code = {},
              Direction direction = Direction::action) {
    SagaAnswer answer{.step = step, .direction = direction, .outcome = outcome, .code = code};
    const Attempts& attempts = facts(step).track(direction).attempts;
    ASSERT_FALSE(attempts.all().empty()) << step << " was not begun";
    answer.round = attempts.all().back().round;
    answer.attempt = attempts.all().back().number;
    if (outcome == SagaOutcome::ok) answer.output = R"({"id":1})";
    hear_it(answer);
  }
  void undo(const std::string& step, SagaOutcome outcome = SagaOutcome::ok) {
    answer(step, outcome, {}, Direction::compensation);
  }
  void hear_it(const SagaAnswer& answer) {
    Draft draft = new_draft();
    hear(draft, answer);
    advance(draft);
  }
  void ask(SagaRequest request) {
    Draft draft = new_draft();
    carry_out(draft, request);
    advance(draft);
  }
  void repin(const SagaDefinitionPtr& target) {
    Draft draft = new_draft();
    carry_out(draft, {.verb = "repin", .version = 2}, target);
    advance(draft);
  }
  void count_revisions(std::size_t count) {
    for (std::size_t revision = 0; revision < count; ++revision) execution_->count_revision();
  }
  void take_it_over() {
    Draft draft = new_draft();
    take_over(draft);
    advance(draft);
  }

  const Execution& execution() const { return *execution_; }
  const StepFacts& facts(const std::string& step) const {
    return execution_->facts(execution_->index_of(step).value());
  }
  SagaState state() const { return state_of(*execution_, {}); }
  /// What was sent since it was asked last, as in `a/action/1.2`: round 1, attempt 2.
  std::vector<std::string> sent() {
    std::vector<std::string> texts;
    for (const SagaSend& send : std::exchange(decided_.sends, {})) {
      texts.push_back(execution_->step(send.step).name + "/" + std::string(to_string(send.direction)) + "/" +
                      std::to_string(send.round) + "." + std::to_string(send.attempt));
    }
    return texts;
  }
  bool has(RecordKind kind) const {
    return std::ranges::find(decided_.records, kind, &SagaRecord::kind) != decided_.records.end();
  }
  std::string last_refusal() const {
    for (auto record = decided_.records.rbegin(); record != decided_.records.rend(); ++record) {
      if (record->kind == RecordKind::refused) return record->error;
    }
    return {};
  }

  using Sent = std::vector<std::string>;
  SagaSurroundingsByHand around_;
  SagaDecisions decided_;
  SagaDefinitionPtr definition_;
  std::unique_ptr<Execution> execution_;
};

}  // namespace makegood::core
