// What operators ask for. A request never writes lane state by itself: the owner carries it out in a turn of its own,
// on the state that the look saw, and says in the request's row what came of it.
#include <algorithm>
#include <utility>

#include "core/lane_cancel.hpp"
#include "core/lane_disable.hpp"
#include "core/lane_log.hpp"
#include "core/lane_read.hpp"
#include "core/lane_registry.hpp"
#include "core/lane_requests.hpp"
#include "core/lane_settle.hpp"
#include "core/lane_sides.hpp"
#include "core/mutant.hpp"
#include "core/request_answer.hpp"

namespace makegood::core {
namespace {

/// Others wait until the lane reads again: what they speak of may be another message by now.
bool is_about_the_log(RequestKind kind) {
  return kind == RequestKind::rewind || kind == RequestKind::go_on || kind == RequestKind::annotate;
}

/// It starts anew with all its attempts, under the same event id, and takes the front of its key.
std::string replay(OwnedLane& lane, const Parked& row, std::int64_t request) {
  if (row.state != ParkedState::dead && !is_mutant("replay_of_the_living")) {
    return refused("only a dead delivery can be replayed; this one is " + std::string(to_string(row.state)));
  }
  // Its place in the order is still to come.
  if (lane.cancelled.is_marked(row.sequence, row.destination))
    return refused("it was cancelled, and the lane has not passed it yet");
  const auto destination = lane.destinations.find(row.destination);
  if (!destination) return refused("its destination is not registered here");
  Parked again = row;
  again.state = ParkedState::waiting;
  again.attempts = 0;
  again.answered = 0;
  if (!is_mutant("replay_has_no_number")) again.replay = request;
  // With the note that it was replayed: a new life has no error yet. The story keeps the old.
  again.error_code.clear();
  again.last_error.clear();
  again.deaths = std::min(again.deaths, alone_from);  // A killer should not take its neighbours along again.
  again.due_at = lane.ownership.store_now;
  again.blocks = blocks_key(lane, again);
  if (again.blocks) {
    block(lane, lane.keys.at(row.tenant_id, row.dispatch_key, *destination), row.sequence, blocker_of(again));
  }
  AttemptNote note = lane.parked.note(again, "replayed", lane.ownership.store_now);
  lane.parked.park(std::move(again), std::move(note), false);
  lane.reports.replayed();
  return std::string(done);
}

std::string quarantine(OwnedLane& lane, const Parked& row) {
  if (row.state == ParkedState::done || row.state == ParkedState::quarantined) {
    return refused("it is " + std::string(to_string(row.state)));
  }
  Parked put_away = row;
  put_away.state = ParkedState::quarantined;
  put_away.blocks = false;
  lane.parked.park(std::move(put_away), lane.parked.note(row, "quarantined", lane.ownership.store_now), counts(row));
  let_others_pass(lane, row);
  if (row.destination == unrouted) withdraw_history(lane, row.sequence);
  return std::string(done);
}

std::string release_from_quarantine(OwnedLane& lane, const Parked& row) {
  if (row.state != ParkedState::quarantined) return refused("it is not in quarantine");
  Parked back = row;
  back.state = ParkedState::dead;
  lane.parked.park(std::move(back), lane.parked.note(row, "released", lane.ownership.store_now), false);
  return std::string(done);
}

/// It stays what it is, and those behind it need not wait for it any more.
std::string unblock(OwnedLane& lane, const Parked& row) {
  if (!row.blocks) return refused("it blocks nothing");
  if (row.state == ParkedState::held) return refused("it waits itself; unblock the one at the head of its key");
  Parked passed = row;
  passed.blocks = false;
  lane.parked.park(std::move(passed), lane.parked.note(row, "unblocked", lane.ownership.store_now), counts(row));
  let_others_pass(lane, row);
  return std::string(done);
}

std::string answer_about(OwnedLane& lane, const Request& request) {
  if (!request.row) return refused("there is no such parked delivery");
  if (request.row->under_way) return refused("it is being sent at this moment; ask again when it has ended");
  switch (request.asked.kind) {
    case RequestKind::replay:
      return replay(lane, *request.row, request.id);
    case RequestKind::quarantine:
      return quarantine(lane, *request.row);
    case RequestKind::release:
      return release_from_quarantine(lane, *request.row);
    case RequestKind::unblock:
      return unblock(lane, *request.row);
    case RequestKind::rewind:
    case RequestKind::pause:
    case RequestKind::resume:
    case RequestKind::history:
    case RequestKind::cancel:
    case RequestKind::cancel_message:
    case RequestKind::configure:
    case RequestKind::annotate:
    case RequestKind::go_on:
      break;
  }
  std::unreachable();
}

/// The scope gets a lane of its own, which stands still. Nothing of it is sent after the turn that says so.
std::string pause(OwnedLane& lane, const NewRequest& asked) {
  const auto destination = lane.destinations.find(asked.destination);
  if (!destination || *destination == unrouted_index) return refused("there is no such destination");
  const Scope scope{asked.destination, asked.tenant_id};
  Side* side = lane.sides.find(scope);
  if (side != nullptr && side->lane.is_paused) return std::string(done);  // No change.
  if (side == nullptr) side = open_side(lane, {.scope = scope, .why = SideLane::Why::paused}, *destination);
  if (side == nullptr) return refused("there are too many side lanes; resume or wait for others first");
  // It was disabled and resumed, and has not caught up yet: now it stands still because somebody wants it.
  if (side->lane.why == SideLane::Why::disabled) side->lane.why = SideLane::Why::paused;
  side->lane.because = asked.reason.empty() ? asked.operator_name : asked.operator_name + ": " + asked.reason;
  stand_still(lane, *side);
  return std::string(done);
}

std::string resume(OwnedLane& lane, const NewRequest& asked) {
  Side* side = lane.sides.find({asked.destination, asked.tenant_id});
  if (side == nullptr || !side->lane.is_paused) return refused("it is not paused");
  // Whoever asked cannot have known of it.
  if (is_disabled_anew(lane, *side)) return refused("it has just been disabled; see why, then ask again");
  side->lane.is_paused = false;
  side->lane.because.clear();
  side->lane.since = {};
  side->is_resuming = true;
  lane.destinations[side->destination].endpoint.forgive();  // Whoever was disabled gets all its time again.
  lane.destinations[side->destination].expect_due(lane.ownership.store_now);  // Its retries were left out of the looks.
  return std::string(done);
}

/// Up to here everything has ended, or is parked, at this destination.
Sequence settled_at(OwnedLane& lane, DestinationIndex destination) {
  Sequence lowest = lane.log.reached() + 1;
  const std::string& name = lane.destinations[destination].settings->name;
  for (const auto& [number, names] : lane.log.holes()) {
    if (std::ranges::find(names, name) != names.end()) lowest = std::min(lowest, number);
  }
  lane.window.each_hole([&](Sequence sequence, const Carried& carried) {
    if (carried.destination == destination) lowest = std::min(lowest, sequence);
  });
  for (const auto& side : lane.sides) {
    if (side->destination != destination || side->is_history()) continue;
    lowest = std::min(lowest, side->lane.reached + 1);
    if (!side->unread.empty()) lowest = std::min(lowest, *side->unread.begin());
  }
  return lowest - 1;
}

/// A lane beside the others with a beginning and an end. Of a destination that is new, what came before its first
/// route.
std::string replay_history(OwnedLane& lane, const Request& request) {
  const NewRequest& asked = request.asked;
  const auto destination = lane.destinations.find(asked.destination);
  const Routing* first = lane.registry.routings().first_with(asked.destination);
  if (!destination || first == nullptr) return refused("no route leads to such a destination");
  const Scope scope{asked.destination, asked.tenant_id};
  if (lane.sides.find(scope, true) != nullptr) return refused("a replay of its history is under way already");
  const Sequence settled = settled_at(lane, *destination);
  const Sequence since = first == &lane.registry.routings().oldest() ? settled : first->from;
  const Sequence until = asked.until > 0 ? asked.until : since;
  const Sequence begin = std::max<Sequence>(0, asked.sequence - 1);
  const Sequence end = std::min(until, settled);
  if (end <= begin) return refused("nothing of that range has been delivered yet");
  Side* side = open_side(lane,
                         {.scope = scope,
                          .why = SideLane::Why::history,
                          .reached = begin,
                          .begin = begin,
                          .end = end,
                          .routing = lane.registry.routings().newest().version,
                          .replay = is_mutant("replay_has_no_number") ? 0 : request.id},
                         *destination);
  return side != nullptr ? std::string(done) : refused("there are too many side lanes; wait for others first");
}

std::string cancel_history(OwnedLane& lane, const NewRequest& asked) {
  Side* side = lane.sides.find({asked.destination, asked.tenant_id}, true);
  if (side == nullptr) return refused("no replay of its history is under way");
  cancel(lane, *side);
  return std::string(done);
}

/// Nothing: it stays open for a later turn.
std::optional<std::string> answer(OwnedLane& lane, const Request& request) {
  if (lane.log.is_stopped() && !is_about_the_log(request.asked.kind)) return std::nullopt;
  switch (request.asked.kind) {
    case RequestKind::rewind:
      return rewind(lane, request);
    case RequestKind::go_on:
      return lane.log.go_on();
    case RequestKind::pause:
      return pause(lane, request.asked);
    case RequestKind::resume:
      return resume(lane, request.asked);
    case RequestKind::history:
      return replay_history(lane, request);
    case RequestKind::cancel:
      return cancel_history(lane, request.asked);
    case RequestKind::cancel_message:
      return cancel_message(lane, request);
    case RequestKind::configure:
      return change_registry(lane, request);
    case RequestKind::annotate:
      return std::string(done);  // The request itself is the note.
    case RequestKind::replay:
    case RequestKind::quarantine:
    case RequestKind::release:
    case RequestKind::unblock:
      return answer_about(lane, request);
  }
  std::unreachable();
}
}  // namespace

void carry_out(OwnedLane& lane, const std::vector<Request>& requests) {
  for (const Request& request : requests) {
    // A second request for a row that this turn already changes has seen an old state: it stays open for the next turn.
    if (lane.parked.has(request.asked.sequence, request.asked.destination)) continue;
    if (auto result = answer(lane, request)) lane.draft->answers.push_back({request.id, std::move(*result)});
  }
}

void let_others_pass(OwnedLane& lane, const Parked& row) {
  if (row.dispatch_key.empty()) return;
  Key& key = lane.keys.at(row.tenant_id, row.dispatch_key, lane.destinations.at(row.destination));
  key.blockers.erase(row.sequence);
  pass_on(lane, key);
}

void stand_still(OwnedLane& lane, Side& side) {
  side.lane.is_paused = true;
  side.lane.since = lane.ownership.store_now;
  std::vector<CarriedIndex> retries;
  lane.window.each([&](CarriedIndex index, const Carried& carried) {
    const bool is_mine = carried.is_parked && !carried.is_in_flight && carried.destination == side.destination;
    if (is_mine && contains(side.lane.scope, carried.message->tenant_id, {}, 0)) retries.push_back(index);
  });
  for (const CarriedIndex index : retries) put_back_parked(lane, index);
}

void cancel(OwnedLane& lane, Side& history) {
  std::vector<CarriedIndex> unsent;
  lane.window.each([&](CarriedIndex index, const Carried& carried) {
    if (carried.side == &history && !carried.is_in_flight) unsent.push_back(index);
  });
  for (const CarriedIndex index : unsent) {
    Key* key = lane.window.at(index).key;
    lane.deliveries.take_from_queues(index);
    lane.deliveries.end(index);
    if (key != nullptr) pass_on(lane, *key);
  }
  for (const Sequence number : history.unread) lane.suspects.acquit(history.destination, number);
  close(lane, history, nullptr, LaneNews::Kind::side_ended);
}

}  // namespace makegood::core
