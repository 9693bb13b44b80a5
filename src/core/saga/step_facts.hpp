// What is known of one step of an execution.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "core/saga/attempts.hpp"

namespace makegood::core {

/// What an attempt failed with.
struct SagaFailure {
  std::string code = {};
  std::string error = {};
};

/// One direction of a step: its attempts, what they send, and what came of the last one.
struct StepTrack {
  Attempts attempts = {};
  std::string body = {};  ///< What the current round sends; empty: it is not fixed yet.
  std::string code = {};  ///< Of the last answer that was not ok.
  std::string error = {};
  SagaFailure counted = {};           ///< Of the last answer that cost an attempt: only such a one leads to anything.
  TimePoint round_at = {};            ///< When the current round began; not set for the first one.
  TimePoint next_at = {};             ///< Not tried again before.
  TimePoint waits_since = {};         ///< When that was decided.
  std::uint32_t forgiven = 0;         ///< Spent attempts of the current round that an operator has given back.
  std::uint32_t forgiven_deaths = 0;  ///< Likewise.
  std::optional<TimePoint> held_since = {};  ///< Something between us and the participant has to be mended.

  /// Also if it has waited since a time that is yet to come: the clock was set back, and nobody knows for how long it
  /// has waited.
  bool may_be_tried(TimePoint now) const { return now >= next_at || waits_since > now + clock_set_back_min; }
  std::uint32_t spent() const { return attempts.spent() - std::min(attempts.spent(), forgiven); }
  std::uint32_t deaths() const { return attempts.lost() - std::min(attempts.lost(), forgiven_deaths); }
};

class StepFacts {
 public:
  /// Records of this step only.
  void apply(const SagaRecord& record);
  /// Its mapping may change: what the current round has sent without writing it down was `input`, and stays so.
  void fix_body(std::string_view input);

  const StepTrack& track(Direction direction) const { return tracks_.at(static_cast<std::size_t>(direction)); }
  const Attempts& actions() const { return track(Direction::action).attempts; }
  const Attempts& compensations() const { return track(Direction::compensation).attempts; }
  const Attempts& checks() const { return track(Direction::check).attempts; }

  /// Answered ok, or what it waited for is there, or an operator says so.
  bool is_done() const { return is_resolved_done_ || has_happened_ || actions().was_ever_ok(); }
  bool may_be_done(SagaPromise promise) const {
    return is_resolved_done_ || has_happened_ || actions().may_be_done(promise);
  }
  bool is_skipped() const { return is_skipped_; }
  /// It needs nothing more on the way forward.
  bool is_finished() const { return is_done() || is_skipped_; }

  /// The current round of its compensation was answered ok, or an operator has undone it.
  bool is_undone() const;
  bool is_given_up() const { return is_given_up_; }
  bool is_stalled() const { return is_stalled_; }

  /// Somebody was asked to approve it, until then; the latest time there is: for ever.
  const std::optional<TimePoint>& asked_until() const { return asked_until_; }
  const std::optional<SagaOutcome>& decision() const { return decision_; }
  /// It waits for its event or its time until then; the latest time there is: for ever.
  const std::optional<TimePoint>& awaited_until() const { return awaited_until_; }

  /// JSON; empty: there is none, or it is not known.
  const std::string& output() const { return output_; }
  /// What its participant has reported last of the action, JSON; empty: nothing.
  const std::string& progress() const { return progress_; }
  /// What an operator wants sent instead of the mapped input.
  const std::string& changed_input() const { return changed_input_; }

 private:
  StepTrack& at(Direction direction) { return tracks_.at(static_cast<std::size_t>(direction)); }
  void note_start(const SagaRecord& record);
  void note_answer(const SagaRecord& record);
  void note_resolution(const SagaRecord& record);
  void begin_round(const SagaRecord& record);
  void forgive(Direction direction);

  std::array<StepTrack, 3> tracks_;
  std::string output_;
  std::string changed_input_;
  std::string progress_;
  std::optional<TimePoint> asked_until_;
  std::optional<SagaOutcome> decision_;
  std::optional<TimePoint> awaited_until_;
  bool has_happened_ = false;
  bool is_skipped_ = false;
  bool is_resolved_done_ = false;
  bool is_resolved_undone_ = false;
  bool is_given_up_ = false;
  bool is_stalled_ = false;
};

}  // namespace makegood::core
