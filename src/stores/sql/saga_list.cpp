// Lists of executions. All of them are found in the log, downwards by number. What is rarely asked for in vain is few:
// what is parked, and what has ended other than well, have places of their own that are looked into instead.
#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "base/saga_page.hpp"
#include "base/utf8.hpp"
#include "stores/sql/saga_tables.hpp"

namespace makegood::relational {
namespace {

/// How many rows of the log counts() looks at, at most.
constexpr std::size_t counted_max = 100'000;

Texts texts_of(const std::vector<SagaState>& states) {
  Texts texts;
  texts.reserve(states.size());
  for (const SagaState state : states) texts.emplace_back(to_string(state));
  return texts;
}

class SagaLister {
 public:
  SagaLister(Database& database, const SagaFilter& filter, std::size_t rows_max, std::size_t looked_max)
      : database_(database),
        filter_(filter),
        rows_wanted_(rows_max + 1),
        looked_max_(std::max<std::size_t>(looked_max, 1)) {}

  /// As many numbers as may be looked at, then down to the next one that has a row.
  Result<SagaSlice> from_log(Sequence before) {
    const Sequence newest = MAKEGOOD_TRY(newest_below(before));
    const Sequence lowest = newest + 1 - std::min(static_cast<Sequence>(looked_max_), newest);
    SagaSlice slice = MAKEGOOD_TRY(read(sql().list_sagas, before, lowest, texts_of(filter_.states)));
    if (slice.covered_to > 0) return slice;
    const Sequence next = MAKEGOOD_TRY(newest_below(lowest));
    if (next > 0) slice.covered_to = next + 1;
    return slice;
  }

  Result<SagaSlice> from_ended(Sequence before, SagaState state) {
    SagaSlice slice = MAKEGOOD_TRY(read(sql().list_ended, before, looked_max_, to_string(state)));
    if (slice.covered_to > 0) return slice;
    return looked(std::move(slice),
                  *MAKEGOOD_TRY(database_.query(sql().looked_ended, before, looked_max_, to_string(state))));
  }

  Result<SagaSlice> from_waiting(Sequence before, const std::vector<SagaState>& states) {
    SagaSlice slice = MAKEGOOD_TRY(read(sql().list_waiting, before, looked_max_, texts_of(states)));
    if (slice.covered_to > 0) return slice;
    return looked(std::move(slice), *MAKEGOOD_TRY(database_.query(sql().looked_waiting, before, looked_max_)));
  }

 private:
  const SagaStatements& sql() const { return database_.statements().sagas; }

  /// Full: down to its last row. Otherwise the caller finds out.
  template <class Bound, class States>
  Result<SagaSlice> read(std::string_view statement, Sequence before, Bound bound, const States& states) {
    const RowsPtr rows =
        MAKEGOOD_TRY(database_.query(statement, before, bound, rows_wanted_, filter_.tenant_id, filter_.definition,
                                     filter_.id_prefix, states, filter_.started_from, filter_.started_before));
    SagaSlice slice;
    while (MAKEGOOD_TRY(rows->next())) slice.items.push_back(MAKEGOOD_TRY(read_summary(*rows)));
    if (slice.items.size() == rows_wanted_) slice.covered_to = slice.items.back().execution;
    return slice;
  }
  static Result<SagaSlice> looked(SagaSlice slice, Rows& last) {
    if (MAKEGOOD_TRY(last.next())) slice.covered_to = last.integer(0);
    return slice;
  }
  Result<Sequence> newest_below(Sequence before) {
    return MAKEGOOD_TRY(database_.one(sql().newest_below, before))->integer(0);
  }

  Database& database_;
  const SagaFilter& filter_;
  const std::size_t rows_wanted_;  ///< One more tells whether there is a next page.
  const std::size_t looked_max_;
};

}  // namespace

Result<SagaPage> list_sagas(Database& database, const SagaFilter& filter, Sequence before, std::size_t rows_max,
                            std::size_t looked_max) {
  if (before == 0) before = std::numeric_limits<Sequence>::max();
  SagaLister lister(database, filter, rows_max, looked_max);
  std::vector<SagaSlice> slices;
  if (!are_rare(filter.states)) {
    slices.push_back(MAKEGOOD_TRY(lister.from_log(before)));
    return page_of(std::move(slices), rows_max);
  }
  std::vector<SagaState> parked;
  for (const SagaState state : std::set<SagaState>(filter.states.begin(), filter.states.end())) {
    if (has_ended(state)) {
      slices.push_back(MAKEGOOD_TRY(lister.from_ended(before, state)));
    } else {
      parked.push_back(state);
    }
  }
  if (!parked.empty()) slices.push_back(MAKEGOOD_TRY(lister.from_waiting(before, parked)));
  return page_of(std::move(slices), rows_max);
}

Result<std::vector<SagaCounts>> count_sagas(Database& database) {
  const RowsPtr rows = MAKEGOOD_TRY(database.query(database.statements().sagas.count_sagas, counted_max));
  std::map<std::pair<std::string, SagaState>, SagaCounts> counted;
  while (MAKEGOOD_TRY(rows->next())) {
    const auto state = saga_state_from(rows->text(1));
    if (!state) return Error{Errc::store_corrupt, "An execution has a state that is not known."};
    SagaCounts& counts = counted[{std::string(rows->text(0)), *state}];
    counts.count += rows->count(2);
    counts.unattended_count += rows->count(3);
  }
  std::vector<SagaCounts> all;
  all.reserve(counted.size());
  for (auto& [of, counts] : counted) {
    std::tie(counts.definition, counts.state) = of;
    all.push_back(std::move(counts));
  }
  return all;
}

Result<std::vector<SagaFailures>> failures_of_sagas(Database& database, std::string_view tenant_id,
                                                    std::string_view definition, std::size_t rows_max,
                                                    std::size_t looked_max) {
  std::vector<SagaFailures> groups;
  if (!is_text(tenant_id) || !is_text(definition)) return groups;
  const std::string_view statement = database.statements().sagas.failed_sagas;
  const RowsPtr rows = MAKEGOOD_TRY(database.query(statement, tenant_id, definition, rows_max, looked_max));
  while (MAKEGOOD_TRY(rows->next())) {
    groups.push_back({.definition = std::string(rows->text(0)),
                      .step = std::string(rows->text(1)),
                      .code = std::string(rows->text(2)),
                      .state = saga_state_from(rows->text(3)).value_or(SagaState::failed),
                      .count = rows->count(4),
                      .since = rows->time(5),
                      .until = rows->time(6),
                      .example_tenant = std::string(rows->text(7)),
                      .example = std::string(rows->text(8))});
  }
  return groups;
}

}  // namespace makegood::relational
