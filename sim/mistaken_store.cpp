#include "sim/mistaken_store.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "base/forwarding_store.hpp"
#include "core/mutant.hpp"
#include "sim/mutants.hpp"
#include "stores/memory/database.hpp"
#include "stores/memory/look.hpp"

namespace makegood::sim {
namespace {

using core::is_mutant;

class MistakenStore final : public ForwardingStore {
 public:
  MistakenStore(std::unique_ptr<OutboxStore> store, std::shared_ptr<memory::Database> database, const Clock& clock)
      : ForwardingStore(std::move(store)), database_(std::move(database)), clock_(clock) {}

  Result<std::optional<Taken>> take(const Owner& owner, Duration lease, const Owner& former) override {
    if (is_mutant("copy_is_ours")) database_->access().state().environment.clear();
    auto taken = ForwardingStore::take(owner, lease, former);
    if (!taken || !*taken) return taken;
    Position& position = (*taken)->position;
    if (is_mutant("restart_republishes")) position = {};
    if (is_mutant("open_numbers_not_stored")) position.open = {};
    if (is_mutant("under_way_not_stored")) position.under_way.clear();
    if (is_mutant("side_holes_not_stored")) {
      for (SideLane& side : position.sides) side.under_way.clear();
    }
    if (is_mutant("hole_per_row")) forget_destinations(position);
    return taken;
  }

  Result<Found> look(const LookFor& wanted) override {
    const auto before = std::exchange(seen_, is_mutant("two_snapshots") ? database_->snapshot() : memory::State());
    LookFor asked = wanted;
    if (is_mutant("side_reads_open_numbers")) asked.open = {};
    if (is_mutant("epoch_only") || is_mutant("no_fencing")) asked.after = 0;  // Whatever turn is the last.
    auto found = ForwardingStore::look(asked);
    if (!found) return found;
    if (is_mutant("cursor_passes_open_numbers")) found->open = {};
    if (is_mutant("timer_closes_numbers")) close_old_numbers(*found);
    if (is_mutant("parked_by_number")) give_what_has_the_number(*found);
    if (is_mutant("late_keys_passed")) read_what_was_left(*found, wanted);
    if (is_mutant("two_snapshots") && !before.turns.empty()) hide_what_was_not_there(*found, wanted, before);
    return found;
  }

  Result<Committed> commit(const Turn& turn) override {
    Turn written = turn;
    if (is_mutant("epoch_only") || is_mutant("no_fencing")) follow_whoever_is_last(written);
    if (is_mutant("parked_rows_not_in_the_turn")) written.parked.clear();
    if (is_mutant("request_answered_elsewhere")) written.answers.clear();
    if (is_mutant("anchor_not_stored")) written.mark.anchor = 0;
    auto committed = ForwardingStore::commit(written);
    if (committed && is_mutant("cleaned_not_stored")) forget_what_was_cleaned();
    if (committed && turn.clean) clean_wrongly(turn);
    return committed;
  }

 private:
  static void forget_destinations(Position& position) {
    std::vector<Sequence> all;
    for (const auto& [destination, numbers] : position.under_way) all.insert(all.end(), numbers.begin(), numbers.end());
    std::ranges::sort(all);
    all.erase(std::unique(all.begin(), all.end()), all.end());
    if (all.empty()) return;
    for (const char* destination : {"fn:a", "fn:b"}) position.under_way[destination] = all;
  }

  /// A parked delivery gets whatever message bears its number now.
  void give_what_has_the_number(Found& found) const {
    const memory::State state = database_->snapshot();
    for (DueDelivery& due : found.due) {
      const auto row = state.log.find(due.parked.sequence);
      if (row != state.log.end()) due.message = row->second;
    }
  }

  /// A number that is missing for a while is taken for rolled back.
  void close_old_numbers(Found& found) {
    std::vector<Sequence> old;
    for (const NumberRange& range : found.open.ranges()) {
      for (Sequence number = range.low; number <= range.high; ++number) {
        const MonotonicTime first = missing_since_.try_emplace(number, clock_.monotonic()).first->second;
        if (clock_.monotonic() - first > std::chrono::milliseconds(30)) old.push_back(number);
      }
    }
    found.open = without(found.open, old);
  }

  /// What lies beyond, although late ones of its key are unread.
  void read_what_was_left(Found& found, const LookFor& wanted) const {
    for (const auto& [number, row] : database_->snapshot().log) {
      if (number <= wanted.reached || !found.open.contains(number)) continue;
      found.rows.push_back(row);
      found.open = without(found.open, NumberSet{number});
    }
  }

  /// Open numbers are looked up in one statement, rows beyond in a later one.
  static void hide_what_was_not_there(Found& found, const LookFor& wanted, const memory::State& before) {
    std::erase_if(found.rows, [&](const MessagePtr& row) {
      const bool is_late = row->sequence <= wanted.reached && wanted.open.contains(row->sequence);
      if (!is_late || before.log.contains(row->sequence)) return false;
      found.open = united(found.open, {row->sequence});
      return true;
    });
  }

  void follow_whoever_is_last(Turn& turn) {
    auto access = database_->access();
    const auto& turns = access.state().turns;
    if (turns.empty()) return;
    const auto& [number, last] = *turns.rbegin();
    if (is_mutant("no_fencing")) turn.owner = last.owner;
    if (last.owner == turn.owner) turn.after = number;
  }

  void forget_what_was_cleaned() {
    auto access = database_->access();
    access.state().turns.rbegin()->second.mark.cleaned = 0;
  }

  void clean_wrongly(const Turn& turn) {
    auto access = database_->access();
    memory::State& state = access.state();
    const auto drop = [&](auto is_dropped) {
      std::erase_if(state.log, [&](const auto& row) { return is_dropped(row.first, *row.second); });
    };
    const TimePoint old = clock_.now() - turn.clean->retention;
    if (is_mutant("anchor_is_cleaned"))
      drop([&](Sequence number, const Message&) { return number == turn.mark.anchor; });
    if (is_mutant("cleaner_by_created_at")) drop([&](Sequence, const Message& row) { return row.created_at < old; });
    if (is_mutant("cleaner_ignores_holes"))
      drop(
          [&](Sequence number, const Message& row) { return number <= turn.position.reached && row.created_at < old; });
    Position without_sides = turn.position;
    without_sides.sides.clear();
    const Sequence boundary = settled(without_sides);
    if (is_mutant("cleaner_ignores_side_lanes"))
      drop([&](Sequence number, const Message& row) { return number <= boundary && row.created_at < old; });
  }

  const std::shared_ptr<memory::Database> database_;
  const Clock& clock_;
  std::map<Sequence, MonotonicTime> missing_since_;
  memory::State seen_;
};

}  // namespace

std::unique_ptr<OutboxStore> with_mistakes(std::unique_ptr<OutboxStore> store,
                                           std::shared_ptr<memory::Database> database, const Clock& clock) {
  if (chosen_mutant().empty()) return store;
  return std::make_unique<MistakenStore>(std::move(store), std::move(database), clock);
}

}  // namespace makegood::sim
