// Every way in which a step of a saga can go wrong, tried out one by one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rehearsal/stage.hpp"

namespace makegood::rehearsal {

/// One thing that can happen to a step.
struct Situation {
  enum class Kind {
    call,         ///< An attempt does not go well.
    condition,    ///< `when` does not hold.
    rejected,     ///< Somebody does not approve.
    not_decided,  ///< Nobody decides in time.
    no_event,     ///< Nobody tells of the event.
    nothing,      ///< Everything goes well.
  };
  Kind kind = Kind::call;
  std::string step = {};
  core::Direction direction = core::Direction::action;
  std::uint32_t attempt = 1;
  bool is_to_the_end = false;  ///< And so does every attempt after it.
  Way way = Way::error;
  std::string code = {};
};
/// `payment: attempt 2, unknown`.
std::string to_string(const Situation& situation);
/// `error`, `unknown`, `crash`, `refusal`, `left out`, `rejected`, `not decided`, `no event`, `goes well`.
std::string_view way_text(const Situation& situation);

struct Tried {
  Situation situation;
  Played played;
  bool has_happened = false;  ///< False: the step was not reached, so nothing is known.
};

struct Rehearsal {
  std::vector<Tried> tried = {};
  std::size_t happened() const;
  /// Of all situations, how many have happened; in per cent.
  double coverage() const;
};

/// Another saga, without a compensation of its own.
bool is_undone_as_unit(const SagaStep& step);
/// All that can happen.
std::vector<Situation> situations_of(const SagaDefinition& definition);
/// The definition has no mistakes. `input` is made up if it is empty.
Result<Rehearsal> rehearse(const SagaDefinition& definition, const std::string& input);

}  // namespace makegood::rehearsal
