// Suspects: nobody waits for one for longer than a second, and none dies that did not have three owners die while it
// was alone. Deaths may have any cause here; slowness is none.
#include <algorithm>
#include <string>

#include "sim/world.hpp"

namespace makegood::sim {
namespace {

using namespace std::chrono_literals;

constexpr Duration alone_max = 1s;
/// In flight for so long it is cleared when its time is over.
constexpr Duration cleared_after = 500ms;
constexpr Duration hanging_for = 1500ms;
/// An exchange is three steps of its owner, and calls to the store may fail.
constexpr int late_steps_max = 40;
/// From its second death on only those count.
constexpr int named_deaths_to_die = 3;
/// With so many deaths nothing goes beside it.
constexpr unsigned deaths_to_be_isolated = 3;

}  // namespace

bool World::is_hanging(const Flight& flight) const {
  return hanging_.contains(std::string(flight.delivery.message->event_id)) &&
         clock_.monotonic() < flight.sent_at + hanging_for;
}

/// The lane was taken from an owner that is gone, or looks so.
void World::count_death_of_named() {
  auto access = database_->access();
  const auto& alone = access.state().position.alone;
  if (alone) ++named_deaths_[{alone->destination, alone->sequence}];
}

/// A decision no longer names it, while it is in flight: it is slow, and no suspect any more.
void World::notice_clearing(const Turn& turn) {
  clearing_.erase(turn.owner);
  if (!position_.alone || turn.position.alone == position_.alone) return;
  const Delivered named{position_.alone->destination, position_.alone->sequence};
  const bool is_cleared = std::ranges::any_of(flights_, [&](const Flight& flight) {
    return flight.owner == turn.owner && flight.life == nodes_[flight.node]->life() &&
           flight.delivery.destination->name == named.first && flight.delivery.message->sequence == named.second &&
           flight.sent_at + cleared_after <= clock_.monotonic();
  });
  if (is_cleared) clearing_[turn.owner] = named;
}

/// Whoever is named while something else is in flight may be blamed for the death that the other one causes.
void World::check_isolated(const Turn& turn) {
  const auto& alone = turn.position.alone;
  if (!alone) return;
  const auto at_its_destination = turn.position.suspects.find(alone->destination);
  if (at_its_destination == turn.position.suspects.end()) return;
  const auto deaths = at_its_destination->second.find(alone->sequence);
  if (deaths == at_its_destination->second.end() || deaths->second < deaths_to_be_isolated) return;
  const bool is_another_in_flight = std::ranges::any_of(flights_, [&](const Flight& flight) {
    const bool is_it =
        flight.delivery.destination->name == alone->destination && flight.delivery.message->sequence == alone->sequence;
    return flight.owner == turn.owner && !is_it;
  });
  if (is_another_in_flight) violated("nothing may go beside it, and another is in flight", alone->sequence);
}

/// Its time begins when it is sent: one that cannot be sent may be named again and again, where no other suspect waits,
/// and its owner may have been frozen meanwhile.
void World::check_named() {
  if (!named_.alone) return;
  const auto sent = std::ranges::find_if(flights_, [&](const Flight& flight) {
    return flight.owner == named_.owner && flight.delivery.destination->name == named_.alone->destination &&
           flight.delivery.message->sequence == named_.alone->sequence;
  });
  const MonotonicTime since = sent == flights_.end() ? clock_.monotonic() : std::max(named_.since, sent->sent_at);
  if (since != named_.since) named_ = {named_.owner, named_.alone, since};
  if (clock_.monotonic() < named_.since + alone_max) return;
  if (++named_.late_steps > late_steps_max) {
    violated("others wait for it, a suspect, for longer than a second", named_.alone->sequence);
  }
}

void World::check_conviction(const Parked& row) {
  const Delivered delivered{row.destination, row.sequence};
  const int deaths = named_deaths_[delivered];
  named_deaths_.erase(delivered);
  if (deaths >= named_deaths_to_die || has_forgotten_) return;
  violated("it was taken for poison, and " + std::to_string(deaths) + " owners died while it was alone", row.sequence);
}

}  // namespace makegood::sim
