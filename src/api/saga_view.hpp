// An execution as its journal tells it, for whoever looks. Nothing is decided here: the journal is folded as its owner
// folds it, and told.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/saga/execution.hpp"
#include "makegood/spi/saga_store.hpp"

namespace makegood::api {

struct SagaAttempt {
  core::Direction direction = core::Direction::action;
  std::uint32_t round = 0;
  std::uint32_t attempt = 0;
  std::string_view state = "open";  ///< `open`, `accepted`, `lost`, `ok`, `fail`, `retry` or `unknown`.
  TimePoint began = {};
  std::optional<TimePoint> until = {};    ///< Its deadline.
  std::optional<TimePoint> ended = {};    ///< Answered, or given up.
  std::optional<TimePoint> next_at = {};  ///< The next one is not begun before.
  std::string code = {};
  std::string error = {};
};

enum class SagaStepState {
  ready,
  in_flight,
  waiting,  ///< For a callback, an approval or the next attempt.
  succeeded,
  failed,   ///< Certainly not done.
  unknown,  ///< May be done.
  skipped,
  compensating,
  compensated,
  open,  ///< May be done, and nobody tries to undo it any more.
};
std::string_view to_string(SagaStepState state);

struct SagaStepView {
  std::string name = {};
  std::size_t group = 0;
  std::string action = {};
  std::string compensation = {};
  bool is_pivot = false;
  SagaStepState state = SagaStepState::ready;
  std::string key = {};
  std::string child = {};     ///< The id of the execution that carries it out; empty: none, or not begun.
  std::string input = {};     ///< What was sent; empty: the execution's input, or nothing yet.
  std::string output = {};    ///< JSON, or empty.
  std::string progress = {};  ///< Likewise: what its participant has reported last.
  std::optional<TimePoint> started_at = {};
  std::optional<TimePoint> ended_at = {};
  std::optional<TimePoint> compensated_at = {};
  std::optional<TimePoint> next_at = {};
  bool is_asked = false;                        ///< Somebody has to approve it.
  std::optional<TimePoint> asked_until = {};    ///< Nothing: for ever.
  bool is_awaiting = false;                     ///< An event, or a time: `action` says which.
  std::optional<TimePoint> awaited_until = {};  ///< Nothing: for ever.
  bool is_stalled = false;
  std::string code = {};
  std::string error = {};
  std::vector<SagaAttempt> attempts = {};
};

/// What somebody could do now.
struct SagaAdvice {
  std::string why = {};
  std::string command = {};
};

/// What somebody wants the next one to know.
struct SagaNote {
  TimePoint at = {};
  std::string by = {};
  std::string text = {};
};

struct SagaExecutionView {
  Sequence number = 0;
  std::string id = {};
  std::string tenant_id = {};
  std::string definition = {};
  std::int64_t version = 0;  ///< 0: it has not begun, or nobody knows its definition.
  std::string key = {};
  std::string parent = {};  ///< The id of the execution whose step it is; empty: it is nobody's.
  std::string parent_step = {};
  SagaState state = SagaState::pending;
  std::string waits_for = {};
  TimePoint created_at = {};
  std::optional<TimePoint> started_at = {};
  std::optional<TimePoint> completed_at = {};
  std::optional<TimePoint> due_at = {};
  std::string failed_step = {};
  std::string code = {};
  std::string error = {};
  std::string reason = {};
  std::string input = {};
  std::string output = {};
  std::vector<std::string> open = {};
  std::vector<std::string> unverified = {};
  std::vector<SagaStepView> steps = {};
  std::vector<SagaNote> notes = {};
  std::vector<SagaAdvice> advice = {};
  bool is_hidden = false;  ///< Without input, outputs and bodies.
};

/// A record and the row that it is in.
struct JournalEntry {
  std::int64_t revision = 0;
  core::SagaRecord record = {};
};

Result<std::vector<JournalEntry>> journal_of(const SagaLoaded& loaded);
/// What the journal says of a request; nothing: it does not name it yet.
Result<std::optional<core::SagaRecord>> record_of_request(SagaView& sagas, Sequence execution, Sequence request);
/// Errc::not_found: it is gone.
Result<SagaExecutionView> read_saga(SagaView& sagas, Sequence execution);
/// The number of the execution with this id; Errc::not_found. Without a tenant: the usual one's, else the only one's.
Result<Sequence> find_saga(SagaView& sagas, const std::string& tenant_id, const std::string& id);

/// What somebody could do about it now.
std::vector<SagaAdvice> advice_for(const SagaExecutionView& view, const core::Execution& execution);

}  // namespace makegood::api
