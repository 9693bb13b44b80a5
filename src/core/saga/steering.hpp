// The decisions about one execution. They become records, which are applied at once and are durable before anything is
// sent.
//
// **Forward.** Groups run one after another, the steps of a group side by side. A step is begun when its gate is open,
// its condition holds and its participant may be called; it is repeated with the same key while its attempts last.
// Then, or after a definite failure, its rules decide: try again under a new key, skip, ask a person, or turn back.
//
// **The pivot.** Once it may be done, nothing turns back any more: what cannot go on waits for a person.
//
// **Back.** Every step that may be done is compensated, in reverse order, when no request of its action may still run
// (a barrier refuses late ones itself). Only ok ends a compensation. One that has spent its attempts, or cannot be made
// for half a minute, is tried on, and the others no longer wait for it.
//
// **Late answers** at a participant that may run late are compensated once more, also after the end.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/saga/execution.hpp"
#include "core/saga/template.hpp"

namespace makegood::core {

/// So many revisions an execution may have since somebody has let it go on; then somebody has to look.
inline constexpr std::size_t saga_revisions_max = 10'000;

/// What decisions need from around the execution.
class SagaSurroundings {
 public:
  virtual ~SagaSurroundings() = default;
  virtual TimePoint now() const = 0;
  virtual double unit_random() = 0;
  /// Whether one more call may go there now; then a place is taken for it.
  virtual bool take_place(const std::string& uri) = 0;
  /// When it may be asked again.
  virtual TimePoint next_place(const std::string& uri) const = 0;
  /// Nobody has registered it, or this process cannot call it.
  virtual bool is_missing(const std::string& uri) const = 0;
  /// The destination that is called there.
  virtual std::string participant_at(const std::string& uri) const = 0;
  /// How long nobody has worked on this store since then: that does not count against a deadline.
  virtual Duration downtime_since(TimePoint time) const = 0;
  /// False for a moment after a taking: what was answered meanwhile is heard first.
  virtual bool do_deadlines_count() const = 0;
  virtual std::size_t revisions_max() const { return saga_revisions_max; }
};

/// An attempt that may be sent once its record is durable.
struct SagaSend {
  std::size_t step = 0;
  Direction direction = Direction::action;
  std::uint32_t round = 0;
  std::uint32_t attempt = 0;
  std::string uri = {};          ///< Also if the execution goes by another version before it is sent.
  std::string participant = {};  ///< The destination at which a place was taken for it.
  /// As it was decided: until it is sent, an answer may come that would change it, and one key has one body.
  std::string body = {};
};

/// What was decided since the last turn.
struct SagaDecisions {
  std::vector<SagaRecord> records = {};
  std::vector<SagaSend> sends = {};
  std::vector<SagaSend> posts = {};  ///< They leave with the turn itself, and are answered later.
  std::vector<Error> alarms = {};
  bool must_tell_parent = false;                ///< It has asked, and may know already.
  bool is_undo_refused = false;                 ///< It is told so.
  std::optional<TimePoint> blocked_until = {};  ///< A call waits for a place, or for its circuit.
  bool is_blocked_by_nobody = false;            ///< For somebody to be there at all.
};

/// How an attempt was answered, as its transport or its callback tells.
struct SagaAnswer {
  std::string step = {};
  Direction direction = Direction::action;
  std::uint32_t round = 0;
  std::uint32_t attempt = 0;
  SagaOutcome outcome = SagaOutcome::unknown;
  bool is_accepted = false;  ///< It will be answered by a callback.
  bool is_progress = false;  ///< No answer yet: it works on it. `output` is what it reports.
  bool is_manual = false;    ///< Somebody has to look: the participant says that it was asked for something else.
  bool is_spent = true;
  bool is_held = false;
  bool is_silence = false;  ///< Nothing was heard: told by the transport, not by the participant.
  std::string code = {};
  std::string error = {};
  std::string output = {};
  Duration retry_after = {};
  Sequence request = 0;  ///< Of a callback.
};

/// What an operator asks for.
struct SagaRequest {
  /// `pause`, `resume`, `cancel`, `retry`, `skip`, `compensate`, `decide`, `resolve`, `repin`, `annotate`,
  /// `event`.
  std::string verb;
  std::string step = {};
  std::string seen_state = {};  ///< The state that the operator saw; empty: he did not say.
  std::string choice = {};      ///< Of decide: `approve` or `reject`. Of resolve: `done`, `not_done` or `undone`.
  std::string body = {};        ///< Changed input, an output, or what an event says.
  std::string event = {};       ///< Of an event: its name.
  std::int64_t version = 0;     ///< Of repin.
  std::string operator_name = {};
  std::string reason = {};
  Sequence request = 0;
};

/// What is being decided about one execution: each record is applied as it is written down.
class Draft {
 public:
  Draft(Execution& execution, SagaSurroundings& around, SagaDecisions& decided)
      : execution_(execution), around_(around), decided_(decided) {}

  const Execution& execution() const { return execution_; }
  SagaSurroundings& around() { return around_; }
  TimePoint now() const { return around_.now(); }

  /// A record about a step, of this moment.
  SagaRecord about(std::size_t index, RecordKind kind, Direction direction = Direction::action) const;
  SagaRecord about_all(RecordKind kind) const;
  void record(SagaRecord record) { record_under(std::move(record), execution_.definition()); }
  void record_under(SagaRecord record, const SagaDefinitionPtr& definition);
  void alarm(std::string sentence);
  void tell_parent(bool is_refused) {
    decided_.must_tell_parent = true;
    decided_.is_undo_refused = is_refused;
  }

  /// Records an attempt, which is sent when that is durable. False: its participant cannot be called now, or what
  /// should be sent cannot be made, and somebody has to look.
  bool start_attempt(std::size_t index, Direction direction);
  void to_manual(std::size_t index, std::string_view code, std::string error, std::string reason = {});
  /// The whole execution, at no step.
  void to_manual(std::string_view code, std::string error);
  void turn_back(const std::string& step, std::string_view code, std::string error);
  void end(SagaState state, std::string output = {});
  /// When an attempt that has just ended may be repeated.
  TimePoint next_try(std::size_t index, Direction direction, Duration retry_after);
  /// No journal grows for ever.
  bool is_too_long() const { return execution_.revisions() > around_.revisions_max(); }

 private:
  void post(SagaSend send);

  Execution& execution_;
  SagaSurroundings& around_;
  SagaDecisions& decided_;
};

/// So many owners died over one step: it may be what kills them, and nobody begins it again unasked.
inline constexpr std::uint32_t step_deaths_max = 5;
/// So many events are kept that no step has used yet.
inline constexpr std::size_t events_kept_max = 100;

/// Its time has come; `definition` is null if nobody knows it.
void begin(Draft& draft, const SagaDefinitionPtr& definition);
/// It ends as failed before it has begun.
void refuse_start(Draft& draft, std::string why);
/// It is not begun, because another execution holds its key.
void refuse_busy(Draft& draft, const SagaKeyHeld& held, SagaOnBusy on_busy);
/// Whatever can be decided now.
void advance(Draft& draft);
/// An attempt was answered.
void hear(Draft& draft, const SagaAnswer& answer);
/// An operator's wish; if it cannot be fulfilled, the journal says why. `target` is the version that it names; null:
/// there is none.
void carry_out(Draft& draft, const SagaRequest& request, const SagaDefinitionPtr& target = nullptr);
/// A new owner: what the last one had under way may be done.
void take_over(Draft& draft);

// Parts of `advance`.
void go_forward(Draft& draft);
void go_back(Draft& draft);

/// From when on a compensation that does not succeed no longer holds up the others, and when it is given up.
TimePoint stalls_at(const Execution& execution, std::size_t index, const SagaSurroundings& around);
TimePoint gives_up_at(const Execution& execution, std::size_t index, const SagaSurroundings& around);

/// What templates of this execution can read.
TemplateScope scope_of(const Execution& execution);
/// What templates of this step can read, its element and its own output among them.
TemplateScope scope_of(const Execution& execution, std::size_t step);
/// What this attempt sends.
Result<std::string> body_of(const Execution& execution, std::size_t step, Direction direction);
/// What to call; the step must have it.
const SagaCall& call_of(const SagaStep& step, Direction direction);
Duration timeout_of(const SagaStep& step, Direction direction);

/// What an execution waits for, and when it has to be looked at again at the latest.
struct Outlook {
  std::string waits_for = {};  ///< `key`, `retry`, `circuit`, `participant`, `callback`, `approval`, `child`, `event`,
                               ///< `timer`, `start`; empty: it works.
  std::optional<TimePoint> wake = {};  ///< Nothing: only an answer or a request goes on with it.
};
Outlook outlook_of(const Execution& execution, const SagaDecisions& decided, const SagaSurroundings& around);

/// Codes that sagas add to those of `Errc`.
namespace saga_code {
inline constexpr std::string_view no_definition = "SAGA.NO_DEFINITION";
inline constexpr std::string_view unkeepable = "SAGA.INVALID_START";  ///< Its id, tenant or key cannot be kept.
inline constexpr std::string_view no_value = "SAGA.NO_VALUE";         ///< A template leads nowhere.
inline constexpr std::string_view unknown = "SAGA.OUTCOME_UNKNOWN";   ///< Nobody knows whether it was done.
inline constexpr std::string_view held = "SAGA.HELD";                 ///< Something before the participant refuses.
inline constexpr std::string_view progress = "SAGA.PROGRESS";         ///< Reported when the attempt was over.
inline constexpr std::string_view rejected = "REJECTED";              ///< Somebody did not approve.
inline constexpr std::string_view stalled = "SAGA.COMPENSATION_STALLED";
inline constexpr std::string_view given_up = "SAGA.COMPENSATION_GIVEN_UP";
inline constexpr std::string_view key_busy = "SAGA.KEY_BUSY";         ///< Another execution holds its key.
inline constexpr std::string_view asked = "SAGA.COMPENSATION_ASKED";  ///< An operator wants it undone.
inline constexpr std::string_view undone_by_parent = "SAGA.UNDONE_BY_PARENT";
inline constexpr std::string_view too_many = "SAGA.TOO_MANY";  ///< The list of a repeated step is too long.
inline constexpr std::string_view no_child = "SAGA.NO_CHILD";  ///< It cannot be started.
inline constexpr std::string_view too_long = "SAGA.TOO_LONG";  ///< Its journal grows and grows.
}  // namespace saga_code

}  // namespace makegood::core
