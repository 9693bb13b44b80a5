// What a journal is made of. A record says what happened or was decided; an execution is what its records make of it,
// whether they are applied as they are decided or read back by the next owner.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "makegood/clock.hpp"
#include "makegood/message.hpp"
#include "makegood/result.hpp"
#include "makegood/saga_definition.hpp"

namespace makegood::core {

enum class Direction {
  action,
  compensation,
  check,  ///< Looks up whether the action was done.
};
inline constexpr std::array all_directions = {Direction::action, Direction::compensation, Direction::check};

enum class RecordKind {
  begun,        ///< The execution; `version` is that of its definition.
  repinned,     ///< It goes on by another `version` of its definition, with the same steps.
  spread,       ///< A step that is repeated: `body` is the list, and each element has a step of its own from now on.
  started,      ///< An attempt, which may be sent once this is durable. `until` is its deadline.
  accepted,     ///< The participant answers later, by a callback.
  extended,     ///< The participant works on it: `until` is its deadline now, `body` what it reports.
  answered,     ///< An attempt has ended. `until`: not tried again before.
  lost,         ///< Its owner died while it was under way: it may be done, and may still answer.
  round_begun,  ///< A definite failure is tried again under a new key; or a step is compensated again.
  asked,        ///< Somebody has to approve the step.
  decided,      ///< He has: `outcome` ok or fail.
  awaited,      ///< The step waits for its event or its time; `until`: no longer.
  event_kept,   ///< Somebody told of an `event`; a step that waits for it, now or later, uses it.
  happened,     ///< What the step waited for is there: the first event of its name that no step has used, or its time.
  skipped,      ///< The step is left out: its condition, a rule or an operator said so.
  turned_back,  ///< From here on it only compensates.
  stalled,      ///< A compensation has spent its attempts; it is tried on, and the others no longer wait for it.
  given_up,     ///< Nobody tries a compensation any more: the step is open.
  to_manual,    ///< Somebody has to decide what happens next.
  paused,
  resumed,   ///< From a pause, or from manual.
  resolved,  ///< An operator knows what became of a step: `outcome` ok = done, fail = not done, retry = undone.
  reopened,  ///< It had ended, and goes on.
  refused,   ///< A request that was not carried out, and why.
  noted,     ///< Changes nothing: an answer that came too late to count, a note.
  ended,     ///< `state`, `body` is its output.
};

struct SagaRecord {
  RecordKind kind = RecordKind::noted;
  TimePoint at = {};      ///< The store's clock.
  std::string step = {};  ///< Its name; empty: the whole execution.
  Direction direction = Direction::action;
  std::uint32_t round = 0;
  std::uint32_t attempt = 0;
  SagaOutcome outcome = SagaOutcome::ok;
  bool is_spent = true;      ///< Of an answer: it counts against the attempts. False: the destination was not reached.
  bool is_held = false;      ///< Of an answer: something between us and the participant has to be mended first.
  std::int64_t version = 0;  ///< Of begun and repinned; 0: nobody knows its definition.
  std::optional<TimePoint> until = {};
  std::string code = {};
  std::string error = {};
  std::string body = {};  ///< JSON: what is sent, what came back, what is returned.
  std::string state = {};
  std::string event = {};  ///< The name of an event.
  std::string operator_name = {};
  std::string reason = {};
  Sequence request = 0;  ///< The row of the log that this record has used.
};

std::string_view to_string(Direction direction);
std::optional<Direction> direction_from(std::string_view text);
std::string_view to_string(RecordKind kind);
/// From then on the execution goes by that version.
bool names_version(RecordKind kind);

/// As a JSON array. What is as usual is left out.
std::string encode(const std::vector<SagaRecord>& records);
Result<std::vector<SagaRecord>> decode_saga_records(std::string_view json);

}  // namespace makegood::core
