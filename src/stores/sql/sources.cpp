#include "stores/sql/sources.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "stores/sql/transaction.hpp"

namespace makegood::relational {
namespace {

Error no_such_source(std::string_view name) {
  return {Errc::not_found,
          fmt::format("There is no source {} here; `makegood sources list` names those that are there.", name)};
}

/// Whoever wrote meanwhile has taken the partition over, or an operator has moved it.
Error fenced_at(std::string_view partition) {
  return {Errc::fenced, fmt::format("Somebody else has gone on with {}; nothing was written.", partition)};
}

Step step_of(const SourceStatements& sql, std::string_view source, const SourceMove& move,
             const std::optional<TimePoint>& now) {
  if (move.was.empty()) {
    return Step(sql.begin_source_place, source, move.partition, move.next, move.taken, move.behind, now);
  }
  return Step(sql.move_source_place, source, move.partition, move.was, move.next, move.taken, move.behind, now);
}

}  // namespace

Result<std::vector<SourceRow>> Sources::sources() {
  std::vector<SourceRow> sources;
  const RowsPtr rows = MAKEGOOD_TRY(database_.query(sql_.list_sources));
  while (MAKEGOOD_TRY(rows->next())) {
    sources.push_back({.name = std::string(rows->text(0)),
                       .document = std::string(rows->text(1)),
                       .is_paused = rows->boolean(2),
                       .version = rows->integer(3),
                       .code = std::string(rows->text(4)),
                       .trouble = std::string(rows->text(5)),
                       .trouble_at = rows->time_or_null(6)});
  }
  return sources;
}

template <class... Values>
Result<bool> Sources::change(std::string_view sql, const Values&... values) {
  auto transaction = MAKEGOOD_TRY(Transaction::begin_write(database_));
  bool has_row = false;
  {
    const RowsPtr rows = MAKEGOOD_TRY(database_.query(sql, values...));
    while (MAKEGOOD_TRY(rows->next())) has_row = true;
  }
  MAKEGOOD_TRY(transaction.commit());
  return has_row;
}

Result<> Sources::put(std::string_view name, std::string_view document) {
  MAKEGOOD_TRY(change(sql_.put_source, name, document));
  return {};
}

Result<> Sources::remove(std::string_view name) {
  auto transaction = MAKEGOOD_TRY(Transaction::begin_write(database_));
  MAKEGOOD_TRY(database_.execute(sql_.remove_source_places, name));
  const auto removed = MAKEGOOD_TRY(database_.answered(std::vector{Step(sql_.remove_source, name)}));
  if (!removed.front()) return no_such_source(name);
  return transaction.commit();
}

Result<> Sources::pause(std::string_view name, bool is_paused) {
  if (MAKEGOOD_TRY(change(sql_.pause_source, name, is_paused))) return {};
  return no_such_source(name);
}

Result<> Sources::tell(std::string_view name, std::string_view code, std::string_view trouble) {
  MAKEGOOD_TRY(change(sql_.tell_source_trouble, name, code, trouble, now()));
  return {};
}

Result<std::vector<SourcePlaceRow>> Sources::places(std::string_view source) {
  std::vector<SourcePlaceRow> places;
  const RowsPtr rows = MAKEGOOD_TRY(database_.query(sql_.list_source_places, source));
  while (MAKEGOOD_TRY(rows->next())) {
    places.push_back({.place = {std::string(rows->text(0)), std::string(rows->text(1))},
                      .taken = rows->integer(2),
                      .behind = rows->integer(3),
                      .changed_at = rows->time(4)});
  }
  return places;
}

Result<> Sources::set_place(std::string_view source, const SourcePlace& place) {
  auto transaction = MAKEGOOD_TRY(Transaction::begin_write(database_));
  const std::vector<Step> step = {Step(sql_.set_source_place, source, place.partition, place.next, now())};
  if (!MAKEGOOD_TRY(database_.answered(step)).front()) {
    return Error{Errc::not_found, fmt::format("Nothing was read from {} of the source {} yet; `makegood sources show` "
                                              "names its partitions.",
                                              place.partition, source)};
  }
  MAKEGOOD_TRY(database_.execute(sql_.touch_source, source));
  return transaction.commit();
}

/// In the order of their names, so that two who read the same partitions do not wait for each other. Before the
/// messages: who goes on with a partition holds it until the messages are there, so the log has them in its order.
Result<> Sources::go_on(const Intake& intake) {
  std::vector<SourceMove> moves(intake.moves.begin(), intake.moves.end());
  std::ranges::sort(moves, {}, &SourceMove::partition);
  std::vector<Step> steps;
  steps.reserve(moves.size());
  for (const SourceMove& move : moves) steps.push_back(step_of(sql_, intake.source, move, now()));
  const std::vector<bool> went_on = MAKEGOOD_TRY(database_.answered(steps));
  for (std::size_t index = 0; index < moves.size(); ++index) {
    if (!went_on[index]) return fenced_at(moves[index].partition);
  }
  return {};
}

Result<std::size_t> Sources::take_in(const Intake& intake) {
  auto transaction = MAKEGOOD_TRY(Transaction::begin_write(database_));
  MAKEGOOD_TRY(go_on(intake));
  std::size_t repeats = 0;
  for (const Enqueued& enqueued : MAKEGOOD_TRY(append_(intake.messages))) repeats += enqueued.was_there ? 1 : 0;
  MAKEGOOD_TRY(transaction.commit());
  return repeats;
}

}  // namespace makegood::relational
