// The tables of the sagas, beside those of the outbox in the same database.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>

#include "base/saga_statistics.hpp"
#include "makegood/spi/saga_store.hpp"
#include "stores/memory/state.hpp"

namespace makegood::memory {

struct SagaLog {
  State requests;                                                    ///< The log of the requests, with its turns.
  std::map<std::pair<Sequence, std::int64_t>, std::string> journal;  ///< By execution and revision.
  std::map<Sequence, SagaEnd> ends;
  std::map<Sequence, SagaParked> waiting;
  std::set<std::pair<TimePoint, Sequence>> due;                                   ///< Index of `waiting`.
  std::map<std::pair<std::string, std::int64_t>, SagaDefinitionRow> definitions;  ///< By name and version.
  std::map<std::pair<std::string, std::string>, SagaKeyHeld> keys;                ///< By tenant and key.
  std::string callback_key;
  std::map<SagaClass, std::int64_t> summary;  ///< Of ends of executions up to `folded_to`.
  Sequence folded_to = 0;
  std::size_t purged_count = 0;
  std::optional<TimePoint> purged_before;
};

/// Made at its first use.
SagaLog& sagas_of(State& state);

/// Right after the remembered turn or not at all; the messages go to the outbox of `state`.
Result<Committed> commit(State& state, const SagaTurn& turn, TimePoint now);

// The questions of owner and operators.
std::vector<Sequence> unfinished(const SagaLog& log, Sequence from, Sequence to, std::size_t rows_max);
std::vector<Sequence> due_executions(const SagaLog& log, TimePoint now, std::size_t rows_max);
std::optional<Sequence> find_start(const SagaLog& log, std::string_view tenant_id, std::string_view id);
std::optional<SagaLoaded> load(const SagaLog& log, Sequence execution);
SagaPage list_sagas(const SagaLog& log, const SagaFilter& filter, Sequence before, std::size_t rows_max,
                    std::size_t looked_max);
std::vector<SagaCounts> count_sagas(const SagaLog& log);
std::optional<SagaKeyHeld> key_holder(const SagaLog& log, std::string_view tenant_id, std::string_view key);
std::vector<SagaBlockedKey> blocked_keys(const SagaLog& log, std::string_view tenant_id, std::size_t rows_max);
std::vector<SagaFailures> failures(const SagaLog& log, std::string_view tenant_id, std::string_view definition,
                                   std::size_t rows_max, std::size_t looked_max);
/// This version, or the newest when it is 0.
std::optional<SagaDefinitionRow> definition_of(const SagaLog& log, std::string_view name, std::int64_t version);

// The upkeep, in the order of a turn.
void count_end(SagaLog& log, const SagaEnd& end, std::int64_t by);
void take_back_ends(SagaLog& log, const SagaTurn& turn);
void keep_up(SagaLog& log, const SagaTurn& turn, TimePoint now, Committed& committed);
SagaStatisticsPage statistics(const SagaLog& log, const SagaStatisticsWanted& wanted);

}  // namespace makegood::memory
