// What the lane does with its suspects; who they are, and when one goes alone, is decided in suspects.cpp.
#include <utility>

#include "core/lane_settle.hpp"
#include "core/lane_sides.hpp"
#include "core/lane_suspects.hpp"

namespace makegood::core {
namespace {

void wait_again(OwnedLane& lane, CarriedIndex index, MonotonicTime now) {
  Key* key = lane.window.at(index).key;
  lane.deliveries.take_from_queues(index);
  if (key != nullptr) key->going = index;
  lane.suspects.wait_again(index, now);
}

/// It is slow, and nothing else.
void clear(OwnedLane& lane, CarriedIndex index) {
  Carried& carried = lane.window.at(index);
  lane.suspects.acquit(carried.destination, carried.message->sequence);
  carried.deaths = 0;
  if (!carried.is_parked) return;
  Parked row = lane.parked.row_of(carried);
  row.under_way = true;
  row.blocks = blocks_key(lane, row);
  row.due_at = lane.ownership.store_now;
  lane.parked.park(std::move(row), {}, true);
}

}  // namespace

void end_being_alone(OwnedLane& lane, MonotonicTime now) {
  const auto index = lane.suspects.end_being_alone(now);
  if (!index) return;
  if (!lane.window.at(*index).is_in_flight) return wait_again(lane, *index, now);
  if (Suspects::is_cleared(lane.window.at(*index), now)) clear(lane, *index);
}

void send_one_alone(OwnedLane& lane, MonotonicTime now) {
  const auto index = lane.suspects.choose(now);
  if (!index) return;
  lane.deliveries.queue_first(*index);
  if (lane.suspects.alone() != index) return;
  const Carried& carried = lane.window.at(*index);
  lane.reports.news({.kind = LaneNews::Kind::suspect_alone,
                     .scope = {lane.destinations[carried.destination].settings->name},
                     .sequence = carried.message->sequence});
}

}  // namespace makegood::core
