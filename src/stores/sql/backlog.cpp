// How much is not through yet, and since when. Counts come from indexes alone.
#include <algorithm>
#include <array>
#include <map>

#include "base/log_row.hpp"
#include "base/view_filter.hpp"
#include "stores/sql/outbox_view.hpp"
#include "stores/sql/transaction.hpp"

namespace makegood::relational {
namespace {

class BacklogReader {
 public:
  BacklogReader(Database& database, const Standing& standing) : database_(database), standing_(standing) {}

  Result<Backlog> read() {
    MAKEGOOD_TRY(read_figures());
    count_holes();
    MAKEGOOD_TRY(look_into_sides());
    MAKEGOOD_TRY(read_ages());
    for (auto& [destination, of] : destinations_) backlog_.destinations.push_back(std::move(of.figures));
    return std::move(backlog_);
  }

 private:
  struct Of {
    DestinationBacklog figures;
    Sequence oldest = 0;  ///< The lowest number that is not through; 0: none.
  };

  Of& of(std::string_view destination) {
    const auto known = destinations_.find(destination);
    if (known != destinations_.end()) return known->second;
    Of& added = destinations_[std::string(destination)];
    added.figures.destination = destination;
    return added;
  }

  static void note_oldest(Of& of, Sequence sequence) {
    if (of.oldest == 0 || sequence < of.oldest) of.oldest = sequence;
  }

  Result<> read_figures() {
    const Statements& sql = database_.statements();
    const std::array questions = {Step(sql.read_counter), Step(sql.first_pending, standing_.reached()),
                                  Step(sql.count_waiting), Step(sql.count_held), Step(sql.count_dead)};
    const auto answers = MAKEGOOD_TRY(database_.run(questions));
    MAKEGOOD_TRY(note_pending(*answers[0], *answers[1]));
    MAKEGOOD_TRY(note_waiting(*answers[2]));
    MAKEGOOD_TRY(note_held(*answers[3]));
    return note_dead(*answers[4]);
  }

  Result<> note_pending(Rows& counter, Rows& first) {
    MAKEGOOD_TRY(counter.next());
    if (counter.integer(0) > standing_.reached()) {
      backlog_.pending_count = static_cast<std::size_t>(counter.integer(0) - standing_.reached());
    }
    if (MAKEGOOD_TRY(first.next())) backlog_.oldest_pending_at = first.time(0);
    return {};
  }

  Result<> note_waiting(Rows& rows) {
    while (MAKEGOOD_TRY(rows.next())) {
      Of& place = of(rows.text(0));
      place.figures.under_way_count += rows.count(2);
      place.figures.waiting_count = rows.count(1) - rows.count(2);
      note_oldest(place, rows.integer(3));
    }
    return {};
  }

  Result<> note_held(Rows& rows) {
    while (MAKEGOOD_TRY(rows.next())) {
      Of& place = of(rows.text(0));
      place.figures.held_count = rows.count(1);
      note_oldest(place, rows.integer(2));
    }
    return {};
  }

  Result<> note_dead(Rows& rows) {
    while (MAKEGOOD_TRY(rows.next())) {
      Of& place = of(rows.text(0));
      const bool is_dead = rows.text(1) == to_string(ParkedState::dead);
      (is_dead ? place.figures.dead_count : place.figures.quarantined_count) = rows.count(2);
    }
    return {};
  }

  void count_holes() {
    for (const auto& [destination, numbers] : standing_.position().under_way) add_holes(of(destination), numbers);
    for (const SideLane& side : standing_.position().sides) add_holes(of(side.scope.destination), side.under_way);
  }

  static void add_holes(Of& place, const std::vector<Sequence>& numbers) {
    place.figures.under_way_count += numbers.size();
    if (!numbers.empty()) note_oldest(place, numbers.front());
  }

  Result<> look_into_sides() {
    for (const SideLane& side : standing_.position().sides) {
      if (side.why != SideLane::Why::history) MAKEGOOD_TRY(look_into(side));
    }
    return {};
  }

  /// The first that it has not read. All side lanes together look at no more than one page of messages does.
  Result<> look_into(const SideLane& side) {
    Sequence passed = side.reached;
    // Most often it is among the first few.
    for (std::size_t chunk = 10; looked_ < looked_max; chunk = 2'000) {
      const RowsPtr heads =
          MAKEGOOD_TRY(database_.query(database_.statements().pass_beyond, passed, standing_.reached(), chunk));
      std::size_t count = 0;
      for (; MAKEGOOD_TRY(heads->next()); ++count) {
        ++looked_;
        passed = heads->integer(sequence_column);
        if (!is_carried_by(side, *heads)) continue;
        note_oldest(of(side.scope.destination), passed);
        return {};
      }
      if (count < chunk) return {};
    }
    return {};
  }

  bool is_carried_by(const SideLane& side, const Rows& row) const {
    const MessageHead head = read_message_head(row);
    if (standing_.carrier_of(head, side.scope.destination) != &side) return false;
    const auto destinations = standing_.destinations_of(head);
    return std::ranges::binary_search(destinations, side.scope.destination);
  }

  Result<> read_ages() {
    Numbers numbers;
    for (const auto& [destination, of] : destinations_) {
      if (of.oldest > 0) numbers.push_back(of.oldest);
    }
    if (numbers.empty()) return {};
    const RowsPtr ages = MAKEGOOD_TRY(database_.query(database_.statements().times_of, numbers));
    for (auto& [destination, of] : destinations_) {
      if (of.oldest > 0 && MAKEGOOD_TRY(ages->next())) of.figures.oldest_at = ages->time_or_null(0);
    }
    return {};
  }

  Database& database_;
  const Standing& standing_;
  std::size_t looked_ = 0;
  std::map<std::string, Of, std::less<>> destinations_;
  Backlog backlog_;
};

}  // namespace

Result<Backlog> View::backlog() {
  const Transaction snapshot = MAKEGOOD_TRY(Transaction::begin_read(database_));
  const Standing standing = MAKEGOOD_TRY(read_standing(database_, false));
  return BacklogReader(database_, standing).read();
}

}  // namespace makegood::relational
