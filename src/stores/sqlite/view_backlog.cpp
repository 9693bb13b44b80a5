// How much is not through yet, and since when. Counts come from indexes alone.
#include <algorithm>
#include <map>

#include "base/log_row.hpp"
#include "base/view_filter.hpp"
#include "makegood_store_sqlite_sql.hpp"
#include "stores/sqlite/outbox_view.hpp"
#include "stores/sqlite/transaction.hpp"

namespace makegood::sqlite {
namespace {

class BacklogReader {
 public:
  BacklogReader(Connection& connection, const Standing& standing) : connection_(connection), standing_(standing) {}

  Result<Backlog> read() {
    MAKEGOOD_TRY(read_pending());
    MAKEGOOD_TRY(count_waiting());
    MAKEGOOD_TRY(count_held());
    MAKEGOOD_TRY(count_dead());
    count_holes();
    MAKEGOOD_TRY(look_into_sides());
    for (auto& [destination, of] : destinations_) {
      if (of.oldest > 0) MAKEGOOD_TRY(read_age(of));
      backlog_.destinations.push_back(std::move(of.figures));
    }
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

  Result<> read_pending() {
    const Sequence counter = MAKEGOOD_TRY(connection_.number(sql::look_heads));
    if (counter > standing_.reached()) {
      backlog_.pending_count = static_cast<std::size_t>(counter - standing_.reached());
    }
    Rows first = MAKEGOOD_TRY(connection_.query(sql::first_pending, standing_.reached()));
    if (MAKEGOOD_TRY(first.next())) backlog_.oldest_pending_at = first.time(0);
    return {};
  }

  Result<> count_waiting() {
    Rows rows = MAKEGOOD_TRY(connection_.query(sql::count_waiting));
    while (MAKEGOOD_TRY(rows.next())) {
      Of& place = of(rows.text(0));
      const auto under_way_count = static_cast<std::size_t>(rows.integer(2));
      place.figures.under_way_count += under_way_count;
      place.figures.waiting_count = static_cast<std::size_t>(rows.integer(1)) - under_way_count;
      note_oldest(place, rows.integer(3));
    }
    return {};
  }

  Result<> count_held() {
    Rows rows = MAKEGOOD_TRY(connection_.query(sql::count_held));
    while (MAKEGOOD_TRY(rows.next())) {
      Of& place = of(rows.text(0));
      place.figures.held_count = static_cast<std::size_t>(rows.integer(1));
      note_oldest(place, rows.integer(2));
    }
    return {};
  }

  Result<> count_dead() {
    Rows rows = MAKEGOOD_TRY(connection_.query(sql::count_dead));
    while (MAKEGOOD_TRY(rows.next())) {
      Of& place = of(rows.text(0));
      const bool is_dead = rows.text(1) == to_string(ParkedState::dead);
      auto& count = is_dead ? place.figures.dead_count : place.figures.quarantined_count;
      count = static_cast<std::size_t>(rows.integer(2));
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
    Rows head = MAKEGOOD_TRY(connection_.query(sql::pass_beyond, side.reached, standing_.reached()));
    while (looked_ < looked_max && MAKEGOOD_TRY(head.next())) {
      ++looked_;
      if (!is_carried_by(side, head)) continue;
      note_oldest(of(side.scope.destination), head.integer(sequence_column));
      return {};
    }
    return {};
  }

  bool is_carried_by(const SideLane& side, const Rows& row) const {
    const MessageHead head = read_message_head(row);
    if (standing_.carrier_of(head, side.scope.destination) != &side) return false;
    const auto destinations = standing_.destinations_of(head);
    return std::ranges::binary_search(destinations, side.scope.destination);
  }

  Result<> read_age(Of& place) {
    Rows times = MAKEGOOD_TRY(connection_.query(sql::read_times, place.oldest));
    if (MAKEGOOD_TRY(times.next())) place.figures.oldest_at = times.time(0);
    return {};
  }

  Connection& connection_;
  const Standing& standing_;
  std::size_t looked_ = 0;
  std::map<std::string, Of, std::less<>> destinations_;
  Backlog backlog_;
};

}  // namespace

Result<Backlog> View::backlog() {
  auto snapshot = MAKEGOOD_TRY(Transaction::begin_read(connection_));
  const Standing standing = MAKEGOOD_TRY(read_standing(connection_, false));
  return BacklogReader(connection_, standing).read();
}

}  // namespace makegood::sqlite
