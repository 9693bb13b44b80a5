// Statistics of sagas: from the summary, and from the ends that it does not count yet.
#include "base/saga_statistics.hpp"

#include <chrono>
#include <limits>

#include "base/utf8.hpp"
#include "stores/sql/saga_tables.hpp"

namespace makegood::relational {
namespace {

using namespace std::chrono_literals;

/// So many rows are looked at where there is no summary.
constexpr std::size_t looked_max = 100'000;

std::int64_t hours(const std::optional<TimePoint>& time, std::int64_t otherwise) {
  return time ? hour_of(*time).time_since_epoch() / 1h : otherwise;
}

/// The hour in which `until` lies counts, unless that is its first moment.
std::int64_t hours_before(const std::optional<TimePoint>& until) {
  const std::int64_t whole = hours(until, std::numeric_limits<std::int64_t>::max());
  return until && hour_of(*until) < *until ? whole + 1 : whole;
}

Result<SagaClass> read_class(const Rows& row) {
  const auto state = saga_state_from(row.text(3));
  if (!state) return Error{Errc::store_corrupt, "A summary has a state that is not known."};
  return SagaClass{.tenant_id = std::string(row.text(0)),
                   .definition = std::string(row.text(1)),
                   .version = row.integer(2),
                   .state = *state,
                   .took = row.integer(4)};
}

class StatisticsReader {
 public:
  StatisticsReader(Database& database, const SagaStatisticsWanted& wanted) : database_(database), wanted_(wanted) {}

  Result<SagaStatisticsPage> read() {
    SagaStatisticsPage page;
    const RowsPtr upkeep = MAKEGOOD_TRY(database_.one(sql().read_upkeep));
    const Sequence folded_to = upkeep->integer(0);
    page.purged_count = upkeep->count(1);
    page.purged_before = upkeep->time_or_null(2);
    MAKEGOOD_TRY(add_summary());
    page.is_complete = MAKEGOOD_TRY(add_ends(folded_to)) < looked_max;
    MAKEGOOD_TRY(add_unfinished());
    totals_.put(page, wanted_.rows_max);
    return page;
  }

 private:
  const SagaStatements& sql() const { return database_.statements().sagas; }

  Result<> add_summary() {
    const RowsPtr rows =
        MAKEGOOD_TRY(database_.query(sql().read_summary_classes, hours(wanted_.from, 0), hours_before(wanted_.until),
                                     wanted_.tenant_id, wanted_.definition));
    while (MAKEGOOD_TRY(rows->next())) totals_.add(MAKEGOOD_TRY(read_class(*rows)), rows->integer(5));
    return {};
  }
  /// Answers how many there are.
  Result<std::size_t> add_ends(Sequence folded_to) {
    const RowsPtr rows =
        MAKEGOOD_TRY(database_.query(sql().ends_to_fold, folded_to, std::numeric_limits<Sequence>::max(), looked_max));
    std::size_t count = 0;
    for (; MAKEGOOD_TRY(rows->next()); ++count) {
      const SagaSummary summary = MAKEGOOD_TRY(read_summary(*rows));
      const SagaClass one = class_of(summary, summary.ended_at.value_or(summary.started_at));
      if (is_counted(wanted_, one)) totals_.add(one, 1);
    }
    return count;
  }
  Result<> add_unfinished() {
    const RowsPtr rows =
        MAKEGOOD_TRY(database_.query(sql().count_unfinished, wanted_.tenant_id, wanted_.definition, looked_max));
    while (MAKEGOOD_TRY(rows->next())) {
      totals_.add_running(std::string(rows->text(0)), std::string(rows->text(1)), rows->integer(2), rows->count(3));
    }
    return {};
  }

  Database& database_;
  const SagaStatisticsWanted& wanted_;
  SagaTotals totals_;
};

}  // namespace

Result<SagaStatisticsPage> statistics_of_sagas(Database& database, const SagaStatisticsWanted& wanted) {
  if (!is_text(wanted.tenant_id) || !is_text(wanted.definition)) return SagaStatisticsPage();
  return StatisticsReader(database, wanted).read();
}

}  // namespace makegood::relational
