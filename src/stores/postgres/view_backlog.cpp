// How much is not through yet, and since when. Counts come from indexes alone.
#include <algorithm>
#include <map>

#include "base/log_row.hpp"
#include "base/view_filter.hpp"
#include "makegood_store_postgres_sql.hpp"
#include "stores/postgres/outbox_view.hpp"

namespace makegood::postgres {
namespace {

class BacklogReader {
 public:
  BacklogReader(Connection& connection, const Standing& standing) : connection_(connection), standing_(standing) {}

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
    Pipeline questions(connection_);
    questions.add(sql::read_counter);
    questions.add(sql::first_pending, standing_.reached());
    questions.add(sql::count_waiting);
    questions.add(sql::count_held);
    questions.add(sql::count_dead);
    auto answers = MAKEGOOD_TRY(questions.run());
    note_pending(answers[0], answers[1]);
    note_waiting(answers[2]);
    note_held(answers[3]);
    note_dead(answers[4]);
    return {};
  }

  void note_pending(Rows& counter, Rows& first) {
    counter.next();
    if (counter.integer(0) > standing_.reached()) {
      backlog_.pending_count = static_cast<std::size_t>(counter.integer(0) - standing_.reached());
    }
    if (first.next()) backlog_.oldest_pending_at = first.time(0);
  }

  void note_waiting(Rows& rows) {
    while (rows.next()) {
      Of& place = of(rows.text(0));
      const auto under_way_count = static_cast<std::size_t>(rows.integer(2));
      place.figures.under_way_count += under_way_count;
      place.figures.waiting_count = static_cast<std::size_t>(rows.integer(1)) - under_way_count;
      note_oldest(place, rows.integer(3));
    }
  }

  void note_held(Rows& rows) {
    while (rows.next()) {
      Of& place = of(rows.text(0));
      place.figures.held_count = static_cast<std::size_t>(rows.integer(1));
      note_oldest(place, rows.integer(2));
    }
  }

  void note_dead(Rows& rows) {
    while (rows.next()) {
      Of& place = of(rows.text(0));
      const bool is_dead = rows.text(1) == to_string(ParkedState::dead);
      auto& count = is_dead ? place.figures.dead_count : place.figures.quarantined_count;
      count = static_cast<std::size_t>(rows.integer(2));
    }
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
      Rows heads = MAKEGOOD_TRY(connection_.query(sql::pass_beyond, passed, standing_.reached(), chunk));
      looked_ += heads.count();
      const bool is_last = heads.count() < chunk;
      while (heads.next()) {
        passed = heads.integer(sequence_column);
        if (!is_carried_by(side, heads)) continue;
        note_oldest(of(side.scope.destination), passed);
        return {};
      }
      if (is_last) return {};
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
    Array numbers(Type::bigint);
    for (const auto& [destination, of] : destinations_) {
      if (of.oldest > 0) numbers.add(of.oldest);
    }
    if (numbers.is_empty()) return {};
    Rows ages = MAKEGOOD_TRY(connection_.query(sql::created_at, numbers));
    for (auto& [destination, of] : destinations_) {
      if (of.oldest > 0 && ages.next()) of.figures.oldest_at = ages.time_or_null(0);
    }
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
  auto snapshot = MAKEGOOD_TRY(begin_view(connection_));
  const Standing standing = MAKEGOOD_TRY(read_standing(connection_, false));
  return BacklogReader(connection_, standing).read();
}

}  // namespace makegood::postgres
