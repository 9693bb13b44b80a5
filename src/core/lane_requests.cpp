// What operators ask for. A request never writes lane state by itself: the owner carries it out in a turn of its own,
// on the state that the look saw, and says in the request's row what came of it.
#include <algorithm>
#include <utility>

#include "core/lane.hpp"
#include "core/mutant.hpp"
#include "core/request_answer.hpp"

namespace makegood::core {

void Lane::carry_out(const std::vector<Request>& requests) {
  for (const Request& request : requests) {
    // A second request for a row that this turn already changes has seen an old state: it stays open for the next turn.
    if (changes(request.asked.sequence, request.asked.destination)) continue;
    if (auto result = answer(request)) draft_->answers.push_back({request.id, std::move(*result)});
  }
}

/// Nothing: it stays open for a later turn.
std::optional<std::string> Lane::answer(const Request& request) {
  switch (request.asked.kind) {
    case RequestKind::rewind:
      return rewind();
    case RequestKind::pause:
      return pause(request.asked);
    case RequestKind::resume:
      return resume(request.asked);
    case RequestKind::history:
      return replay_history(request.asked);
    case RequestKind::cancel:
      return cancel_history(request.asked);
    case RequestKind::configure:
      return change_registry(request);
    case RequestKind::annotate:
      return std::string(done);  // The request itself is the note.
    case RequestKind::replay:
    case RequestKind::quarantine:
    case RequestKind::release:
    case RequestKind::unblock:
      return answer_about(request);
  }
  std::unreachable();
}

std::string Lane::answer_about(const Request& request) {
  if (!request.row) return refused("there is no such parked delivery");
  if (request.row->under_way) return refused("it is being sent at this moment; ask again when it has ended");
  switch (request.asked.kind) {
    case RequestKind::replay:
      return replay(*request.row);
    case RequestKind::quarantine:
      return quarantine(*request.row);
    case RequestKind::release:
      return release_from_quarantine(*request.row);
    case RequestKind::unblock:
      return unblock(*request.row);
    case RequestKind::rewind:
    case RequestKind::pause:
    case RequestKind::resume:
    case RequestKind::history:
    case RequestKind::cancel:
    case RequestKind::configure:
    case RequestKind::annotate:
      break;
  }
  std::unreachable();
}

/// It starts anew with all its attempts, under the same event id, and takes the front of its key.
std::string Lane::replay(const Parked& row) {
  if (row.state != ParkedState::dead && !is_mutant("replay_of_the_living")) {
    return refused("only a dead delivery can be replayed; this one is " + std::string(to_string(row.state)));
  }
  const auto destination = destinations_.find(row.destination);
  if (!destination) return refused("its destination is not registered here");
  Parked again = row;
  again.state = ParkedState::waiting;
  again.attempts = 0;
  again.deaths = std::min(again.deaths, alone_from);  // A killer should not take its neighbours along again.
  again.due_at = store_now_;
  again.blocks = blocks_key(again);
  if (again.blocks) {
    block(keys_.at(row.tenant_id, row.dispatch_key, *destination), row.sequence, {again.state, again.attempts});
  }
  AttemptNote note = note_on(again, "replayed", store_now_);
  park(std::move(again), std::move(note), false);
  ++replayed_count_;
  return std::string(done);
}

std::string Lane::quarantine(const Parked& row) {
  if (row.state == ParkedState::done || row.state == ParkedState::quarantined) {
    return refused("it is " + std::string(to_string(row.state)));
  }
  Parked put_away = row;
  put_away.state = ParkedState::quarantined;
  put_away.blocks = false;
  park(std::move(put_away), note_on(row, "quarantined", store_now_), counts(row));
  let_others_pass(row);
  return std::string(done);
}

std::string Lane::release_from_quarantine(const Parked& row) {
  if (row.state != ParkedState::quarantined) return refused("it is not in quarantine");
  Parked back = row;
  back.state = ParkedState::dead;
  park(std::move(back), note_on(row, "released", store_now_), false);
  return std::string(done);
}

/// It stays what it is, and those behind it need not wait for it any more.
std::string Lane::unblock(const Parked& row) {
  if (!row.blocks) return refused("it blocks nothing");
  if (row.state == ParkedState::held) return refused("it waits itself; unblock the one at the head of its key");
  Parked passed = row;
  passed.blocks = false;
  park(std::move(passed), note_on(row, "unblocked", store_now_), counts(row));
  let_others_pass(row);
  return std::string(done);
}

void Lane::let_others_pass(const Parked& row) {
  if (row.dispatch_key.empty()) return;
  Key& key = keys_.at(row.tenant_id, row.dispatch_key, destinations_.at(row.destination));
  key.blockers.erase(row.sequence);
  pass_on(key);
}

/// The store's counter lies below our position (a restored file): new rows would be taken for old ones. The operator
/// says that the position may go back to the counter.
std::string Lane::rewind() {
  if (counter_ >= reached_) return refused("the counter is not behind the position");
  reached_ = counter_;
  open_ = up_to(open_, counter_);
  std::erase_if(unread_, [this](const auto& hole) { return hole.first > counter_; });
  std::erase_if(suspects_, [this](const auto& suspect) { return suspect.first.second > counter_; });
  for (const auto& side : sides_) {
    side->lane.reached = std::min(side->lane.reached, counter_);
    side->lane.end = std::min(side->lane.end, counter_);
    std::erase_if(side->unread, [this](Sequence number) { return number > counter_; });
  }
  return std::string(done);
}

/// The scope gets a lane of its own, which stands still. Nothing of it is sent after the turn that says so.
std::string Lane::pause(const NewRequest& asked) {
  const auto destination = destinations_.find(asked.destination);
  if (!destination || *destination == unrouted_index) return refused("there is no such destination");
  const Scope scope{asked.destination, asked.tenant_id};
  Side* side = sides_.find(scope);
  if (side != nullptr && side->lane.is_paused) return refused("it is paused already");
  if (side == nullptr) side = open_side({.scope = scope, .why = SideLane::Why::paused}, *destination);
  if (side == nullptr) return refused("there are too many side lanes; resume or wait for others first");
  // It was disabled and resumed, and has not caught up yet: now it stands still because somebody wants it.
  if (side->lane.why == SideLane::Why::disabled) side->lane.why = SideLane::Why::paused;
  stand_still(*side);
  return std::string(done);
}

/// Retries that were taken in and not sent wait again.
void Lane::stand_still(Side& side) {
  side.lane.is_paused = true;
  std::vector<CarriedIndex> retries;
  window_.each([&](CarriedIndex index, const Carried& carried) {
    const bool is_mine = carried.is_parked && !carried.is_in_flight && carried.destination == side.destination;
    if (is_mine && contains(side.lane.scope, carried.message->tenant_id, {}, 0)) retries.push_back(index);
  });
  for (const CarriedIndex index : retries) put_back_parked(index);
}

std::string Lane::resume(const NewRequest& asked) {
  Side* side = sides_.find({asked.destination, asked.tenant_id});
  if (side == nullptr || !side->lane.is_paused) return refused("it is not paused");
  // Whoever asked cannot have known of it.
  if (is_disabled_anew(*side)) return refused("it has just been disabled; see why, then ask again");
  side->lane.is_paused = false;
  side->is_resuming = true;
  destinations_[side->destination].failing.reset();         // Whoever was disabled gets all its time again.
  destinations_[side->destination].expect_due(store_now_);  // Its retries were left out of the looks.
  return std::string(done);
}

/// Up to here everything has ended, or is parked, at this destination.
Sequence Lane::settled_at(DestinationIndex destination) {
  Sequence lowest = reached_ + 1;
  const std::string& name = destinations_[destination].settings->name;
  for (const auto& [number, names] : unread_) {
    if (std::ranges::find(names, name) != names.end()) lowest = std::min(lowest, number);
  }
  window_.each_hole([&](Sequence sequence, const Carried& carried) {
    if (carried.destination == destination) lowest = std::min(lowest, sequence);
  });
  for (const auto& side : sides_) {
    if (side->destination != destination || side->is_history()) continue;
    lowest = std::min(lowest, side->lane.reached + 1);
    if (!side->unread.empty()) lowest = std::min(lowest, *side->unread.begin());
  }
  return lowest - 1;
}

/// A lane beside the others with a beginning and an end. Of a destination that is new, what came before its first
/// route.
std::string Lane::replay_history(const NewRequest& asked) {
  const auto destination = destinations_.find(asked.destination);
  const Routing* first = routings_.first_with(asked.destination);
  if (!destination || first == nullptr) return refused("no route leads to such a destination");
  const Scope scope{asked.destination, asked.tenant_id};
  if (sides_.find(scope, true) != nullptr) return refused("a replay of its history is under way already");
  const Sequence settled = settled_at(*destination);
  const Sequence since = first == &routings_.oldest() ? settled : first->from;
  const Sequence until = asked.until > 0 ? asked.until : since;
  const Sequence begin = std::max<Sequence>(0, asked.sequence - 1);
  const Sequence end = std::min(until, settled);
  if (end <= begin) return refused("nothing of that range has been delivered yet");
  Side* side = open_side({.scope = scope,
                          .why = SideLane::Why::history,
                          .reached = begin,
                          .begin = begin,
                          .end = end,
                          .routing = routings_.newest().version},
                         *destination);
  return side != nullptr ? std::string(done) : refused("there are too many side lanes; wait for others first");
}

std::string Lane::cancel_history(const NewRequest& asked) {
  Side* side = sides_.find({asked.destination, asked.tenant_id}, true);
  if (side == nullptr) return refused("no replay of its history is under way");
  cancel(*side);
  return std::string(done);
}

/// What is in flight goes on under the main lane; the rest is forgotten.
void Lane::cancel(Side& history) {
  std::vector<CarriedIndex> unsent;
  window_.each([&](CarriedIndex index, const Carried& carried) {
    if (carried.side == &history && !carried.is_in_flight) unsent.push_back(index);
  });
  for (const CarriedIndex index : unsent) {
    Key* key = window_.at(index).key;
    take_from_queues(index);
    end(index);
    if (key != nullptr) pass_on(*key);
  }
  for (const Sequence number : history.unread) suspects_.erase({history.destination, number});
  close(history, nullptr, LaneNews::Kind::side_ended);
}

}  // namespace makegood::core
