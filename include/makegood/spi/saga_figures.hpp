// What is told of executions as a whole: their states, lists, counts and statistics.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "makegood/clock.hpp"
#include "makegood/message.hpp"
#include "makegood/result.hpp"

namespace makegood {

enum class SagaState {
  pending,  ///< Not begun: not read yet, or it waits for its key.
  running,
  waiting,  ///< For a retry, a circuit, a callback, an approval or a time.
  paused,
  manual,  ///< Somebody has to decide.
  compensating,
  completed,
  compensated,
  failed,     ///< Something is open that nobody could undo.
  cancelled,  ///< Compensated because somebody asked.
};
std::string_view to_string(SagaState state);
std::optional<SagaState> saga_state_from(std::string_view text);
/// Completed, compensated, failed or cancelled.
bool has_ended(SagaState state);

/// What lists and searches show of an execution; written when it is parked and when it ends, never on the way.
struct SagaSummary {
  Sequence execution = 0;
  std::string tenant_id;
  std::string id;
  std::string definition;
  std::int64_t version = 0;
  SagaState state = SagaState::pending;
  /// `key`, `retry`, `circuit`, `participant`, `callback`, `approval`, `child`, `event`, `timer`, `start`, or nothing.
  std::string waits_for = {};
  std::string step = {};   ///< Where it stands, or what failed.
  std::string code = {};   ///< Of the failure, if there was one.
  std::string error = {};  ///< At most 2 KiB of valid UTF-8, never a payload.
  TimePoint started_at = {};
  std::optional<TimePoint> ended_at = {};  ///< Of one that has ended: when its turn was written. The store knows it.
};

/// A key, and the execution that holds it: no other one of its tenant with this key is begun.
struct SagaKeyHeld {
  std::string tenant_id;
  std::string key;
  Sequence execution = 0;
  std::string id = {};  ///< Of the execution.
};

struct SagaFilter {
  std::string tenant_id = {};   ///< Empty: all.
  std::string definition = {};  ///< Empty: all.
  std::string id_prefix = {};
  std::vector<SagaState> states = {};  ///< Empty: all.
  std::optional<TimePoint> started_from = {};
  std::optional<TimePoint> started_before = {};
};

struct SagaPage {
  /// The newest first. What is in memory has the state `running`, what the owner has not read yet `pending`.
  std::vector<SagaSummary> items = {};
  Sequence next = 0;             ///< Where the next page begins (`before`); 0: there is none.
  std::size_t purged_count = 0;  ///< As of SagaStatisticsPage: these are in no list.
  std::optional<TimePoint> purged_before = {};
};

struct SagaCounts {
  std::string definition;
  SagaState state = SagaState::running;
  std::size_t count = 0;
  std::size_t unattended_count = 0;  ///< Of them: they wait for a participant that nobody has.
};

/// A key that somebody waits for.
struct SagaBlockedKey {
  SagaKeyHeld held;
  SagaState holder_state = SagaState::running;
  std::size_t waiting_count = 0;
  std::string first_waiting = {};  ///< The id of the one that is next.
  TimePoint waiting_since = {};    ///< When that one was started.
};

/// Executions that failed at the same step with the same code and are in the same state now.
struct SagaFailures {
  std::string definition;
  std::string step = {};
  std::string code = {};
  SagaState state = SagaState::failed;
  std::size_t count = 0;
  TimePoint since = {};  ///< When the oldest of them was started.
  TimePoint until = {};  ///< And the newest.
  std::string example_tenant = {};
  std::string example = {};  ///< The id of the newest.
};

/// Of executions that were begun in a period.
struct SagaStatisticsWanted {
  std::string tenant_id = {};   ///< Empty: all.
  std::string definition = {};  ///< Empty: all.
  /// Hours, in UTC, are not divided: the one that `from` lies in counts, and the one that `until` lies in.
  std::optional<TimePoint> from = {};
  std::optional<TimePoint> until = {};
  std::size_t rows_max = 0;
};

/// Of one definition in one version, of one tenant.
struct SagaStatistics {
  std::string tenant_id;
  std::string definition;
  std::int64_t version = 0;  ///< 0: not known yet, or nobody knew the definition.
  std::size_t running = 0;   ///< Begun or not, and not ended; at this moment, whenever they were started.
  std::size_t completed = 0;
  std::size_t compensated = 0;
  std::size_t failed = 0;
  std::size_t cancelled = 0;
  // How long those took that have completed; to a tenth.
  std::optional<Duration> median = {};
  std::optional<Duration> p99 = {};
};

struct SagaStatisticsPage {
  std::vector<SagaStatistics> items = {};  ///< The most executions first.
  bool is_complete = true;                 ///< Otherwise there are more rows, or more executions than are looked at.
  std::size_t purged_count = 0;            ///< Executions that are kept no longer, since ever.
  std::optional<TimePoint> purged_before = {};  ///< When those had ended, at the latest.
};

/// A step of the upkeep, part of a turn. Ends are counted into the summaries, so that statistics need not read them
/// all; and executions that ended well, were undone or cancelled longer than `retention` ago go, with the requests of
/// that time and old turns. What has failed stays until somebody has settled it, and what waits stays too.
struct SagaUpkeep {
  Duration retention = {};  ///< 0: nothing goes.
  std::size_t rows_max = 0;
};

/// How the tables of sagas compare with those of this version.
enum class SagaTablesState { missing, older, current, newer };

}  // namespace makegood
