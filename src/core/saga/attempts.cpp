#include "core/saga/attempts.hpp"

#include <algorithm>

#include "core/mutant.hpp"
#include "makegood/spi/assert.hpp"

namespace makegood::core {
namespace {

Attempt::State state_of(SagaOutcome outcome) {
  switch (outcome) {
    case SagaOutcome::ok:
      return Attempt::State::ok;
    case SagaOutcome::fail:
      return Attempt::State::fail;
    case SagaOutcome::retry:
      return Attempt::State::retry;
    case SagaOutcome::unknown:
      return Attempt::State::unknown;
  }
  return Attempt::State::unknown;
}

}  // namespace

void Attempts::start(const SagaRecord& record) {
  MAKEGOOD_ASSERT(record.round == round_ && record.until);
  attempts_.push_back({.round = record.round, .number = record.attempt, .began = record.at, .until = *record.until});
}

void Attempts::accept(std::uint32_t round, std::uint32_t number) {
  Attempt* attempt = find(round, number);
  if (attempt != nullptr && attempt->may_answer()) attempt->state = Attempt::State::accepted;
}

void Attempts::extend(const SagaRecord& record) {
  accept(record.round, record.attempt);
  Attempt* attempt = find(record.round, record.attempt);
  if (attempt == nullptr || !record.until || is_mutant("saga_progress_is_ignored")) return;
  attempt->until = std::max(attempt->until, *record.until);
}

void Attempts::lose(std::uint32_t round, std::uint32_t number) {
  Attempt* attempt = find(round, number);
  if (attempt == nullptr || !attempt->may_answer()) return;
  attempt->state = Attempt::State::lost;
  attempt->was_lost = true;
}

void Attempts::answer(const SagaRecord& record) {
  Attempt* attempt = find(record.round, record.attempt);
  if (attempt == nullptr || attempt->state == Attempt::State::ok) return;
  attempt->state = state_of(record.outcome);
  attempt->is_denied = false;
  attempt->is_spent = record.is_spent;
}

void Attempts::deny_all() {
  for (Attempt& attempt : attempts_) {
    attempt.is_denied = true;
    if (attempt.state != Attempt::State::fail && attempt.state != Attempt::State::retry) {
      attempt.state = Attempt::State::unknown;
    }
  }
}

Attempt* Attempts::find(std::uint32_t round, std::uint32_t number) {
  const auto found = std::ranges::find_if(
      attempts_, [&](const Attempt& attempt) { return attempt.round == round && attempt.number == number; });
  return found == attempts_.end() ? nullptr : &*found;
}

const Attempt* Attempts::find(std::uint32_t round, std::uint32_t number) const {
  return const_cast<Attempts*>(this)->find(round, number);  // NOLINT(cppcoreguidelines-pro-type-const-cast)
}

const Attempt* Attempts::last() const {
  if (attempts_.empty() || attempts_.back().round != round_) return nullptr;
  return &attempts_.back();
}

std::uint32_t Attempts::next_number() const {
  const Attempt* attempt = last();
  return attempt == nullptr ? 1 : attempt->number + 1;
}

std::uint32_t Attempts::spent() const {
  return static_cast<std::uint32_t>(std::ranges::count_if(attempts_, [&](const Attempt& attempt) {
    return attempt.round == round_ && attempt.is_spent && !attempt.may_answer();
  }));
}

std::uint32_t Attempts::lost() const {
  return static_cast<std::uint32_t>(std::ranges::count_if(
      attempts_, [&](const Attempt& attempt) { return attempt.round == round_ && attempt.was_lost; }));
}

bool Attempts::is_ok() const {
  return std::ranges::any_of(attempts_, [&](const Attempt& attempt) {
    return attempt.round == round_ && attempt.state == Attempt::State::ok;
  });
}

bool Attempts::was_ever_ok() const {
  return std::ranges::any_of(attempts_, [](const Attempt& attempt) { return attempt.state == Attempt::State::ok; });
}

bool Attempts::may_be_done(SagaPromise promise) const {
  if (is_mutant("saga_last_decides")) return last() != nullptr && !last()->is_certainly_not_done();
  const auto is_settled = [&](std::uint32_t round) {
    return std::ranges::any_of(attempts_, [&](const Attempt& attempt) {
      return attempt.round == round && attempt.state == Attempt::State::fail;
    });
  };
  return std::ranges::any_of(attempts_, [&](const Attempt& attempt) {
    if (attempt.is_certainly_not_done()) return false;
    if (attempt.state == Attempt::State::ok) return true;
    return promise != SagaPromise::barrier || !is_settled(attempt.round);
  });
}

bool Attempts::is_under_way() const {
  return std::ranges::any_of(attempts_, [](const Attempt& attempt) {
    return attempt.state == Attempt::State::open || attempt.state == Attempt::State::accepted;
  });
}

bool Attempts::may_still_run() const {
  return std::ranges::any_of(attempts_, [](const Attempt& attempt) { return attempt.may_answer(); });
}

std::optional<TimePoint> Attempts::next_deadline() const {
  std::optional<TimePoint> next;
  for (const Attempt& attempt : attempts_) {
    if (attempt.may_answer() && (!next || attempt.until < *next)) next = attempt.until;
  }
  return next;
}

}  // namespace makegood::core
