// The attempts at one step in one direction, and what they prove.
//
// A step is "not done" only if every attempt at it certainly was not done. One attempt whose outcome is unknown makes
// it "may be done", whatever later attempts say; except at a barrier, where a definite failure settles its whole round,
// because the participant keeps that answer and refuses the others.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/saga/record.hpp"

namespace makegood::core {

/// What is ahead of us by less than this is the clocks' own jitter.
inline constexpr Duration clock_set_back_min = std::chrono::seconds(1);

struct Attempt {
  enum class State {
    open,      ///< Sent, or about to be.
    accepted,  ///< The participant answers later.
    lost,      ///< Its owner died. It may still answer.
    ok,
    fail,
    retry,
    unknown,  ///< It may have been done: an answer that proves nothing, or none until the deadline.
  };
  std::uint32_t round = 0;
  std::uint32_t number = 0;  ///< Within its round, from 1.
  State state = State::open;
  bool is_spent = true;
  bool was_lost = false;   ///< Whatever became of it since.
  bool is_denied = false;  ///< An operator or a check knows that it was not done. An answer may know better.
  TimePoint began = {};
  TimePoint until = {};  ///< Its deadline.

  /// An answer that comes now is in time.
  bool may_answer() const { return state == State::open || state == State::accepted || state == State::lost; }
  bool is_certainly_not_done() const { return is_denied || state == State::fail || state == State::retry; }
};

class Attempts {
 public:
  void start(const SagaRecord& record);
  void accept(std::uint32_t round, std::uint32_t number);
  /// Its participant has said that it works on it: it will answer later, until then.
  void extend(const SagaRecord& record);
  void lose(std::uint32_t round, std::uint32_t number);
  /// An ok stands, whatever comes after it.
  void answer(const SagaRecord& record);
  /// Somebody knows that none of them was done. None may be under way.
  void deny_all();
  void begin_round(std::uint32_t round) { round_ = round; }

  std::uint32_t round() const { return round_; }
  bool empty() const { return attempts_.empty(); }
  const std::vector<Attempt>& all() const { return attempts_; }
  const Attempt* find(std::uint32_t round, std::uint32_t number) const;
  /// The last one of the current round; null: there is none.
  const Attempt* last() const;
  std::uint32_t next_number() const;
  /// Of the current round, those that count against the attempts.
  std::uint32_t spent() const;
  /// How many owners died over the current round.
  std::uint32_t lost() const;

  /// Whether the current round was answered ok.
  bool is_ok() const;
  bool was_ever_ok() const;
  bool may_be_done(SagaPromise promise) const;
  /// Sent by this owner and not answered, or accepted: nothing is begun beside it.
  bool is_under_way() const;
  /// Whether a request of any of them may still run: it has neither answered nor passed its deadline.
  bool may_still_run() const;
  /// The earliest deadline of those that have not answered.
  std::optional<TimePoint> next_deadline() const;

 private:
  Attempt* find(std::uint32_t round, std::uint32_t number);

  std::vector<Attempt> attempts_;
  std::uint32_t round_ = 1;
};

}  // namespace makegood::core
