// Which answers count as attempts. A destination that cannot be reached costs none; one that says nothing costs one
// only if others of it are answered meanwhile.
#include "sim/world.hpp"

namespace makegood::sim {

/// What the owner hears at this moment.
void World::note_reach(const Flight& flight, const Outcome& answer, bool is_given_back) {
  const MonotonicTime now = clock_.monotonic();
  const Destination& destination = *flight.delivery.destination;
  const std::pair<Owner, std::string> place{flight.owner, destination.name};
  const Sending attempt = sending_of(flight);
  const auto failed = last_failures_.find(attempt);
  const auto answered = last_answers_.find(place);
  const bool is_beside = answered != last_answers_.end() && answered->second > flight.sent_at;
  // By a former owner, it may have failed long ago.
  const bool is_since = failed == last_failures_.end()
                            ? is_beside || (flight.delivery.attempt > 1 && answered != last_answers_.end())
                            : answered != last_answers_.end() && answered->second > failed->second;
  Counts counts = Counts::perhaps;
  // Where operators change destinations, what an owner hears of one that it has just removed tells it nothing.
  const bool is_known_beside = is_beside && !is_registry_in_store_;
  if (answer.is_answer() || is_known_beside || destination.retry.unreachable_for == Duration{}) counts = Counts::yes;
  // When its last attempt failed is reckoned by the store's clock: after a jump a timeout may count that need not.
  const bool is_alone = !is_since && !clock_.has_jumped;
  const bool is_spared = answer.reach == Outcome::Reach::unreachable || (!answer.is_answer() && is_alone);
  if (is_spared && destination.retry.unreachable_for > Duration{}) counts = Counts::no;
  counts_[attempt] = counts;
  if (answer.is_answer()) last_answers_[place] = now;
  if (!is_given_back) last_failures_[attempt] = now;
}

void World::check_counted(const Turn& turn, const Turn::Change& change) {
  const Parked& row = change.row;
  const Delivered delivered{row.destination, row.sequence};
  const std::uint32_t before = std::exchange(counted_[delivered], row.answered);
  const auto heard = counts_.find({turn.owner, row.destination, row.event_id});
  if (!change.note || change.note->outcome != "retry" || heard == counts_.end()) return;
  const Counts counts = heard->second;
  counts_.erase(heard);
  if (counts == Counts::no) summary_.sites.hit(Site::attempt_spared);
  if (counts == Counts::no && row.answered > before) violated("an outage has used up an attempt", row.sequence);
  if (counts == Counts::no && row.state == ParkedState::dead) violated("it died of an outage", row.sequence);
  if (counts == Counts::yes && row.answered == 0) violated("an attempt that was answered did not count", row.sequence);
}

}  // namespace makegood::sim
