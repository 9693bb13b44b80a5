// The processes that own the lane, or would like to: what they do, what they send, and what their turns say.
#include <algorithm>
#include <ranges>
#include <utility>

#include "sim/world.hpp"

namespace makegood::sim {
namespace {

using namespace std::chrono_literals;

bool has_hole(const Position& position, const std::string& destination, Sequence sequence) {
  const auto is_in = [sequence](const std::vector<Sequence>& numbers) {
    return std::ranges::binary_search(numbers, sequence);
  };
  const auto under_way = position.under_way.find(destination);
  if (under_way != position.under_way.end() && is_in(under_way->second)) return true;
  return std::ranges::any_of(position.sides, [&](const SideLane& side) {
    return side.scope.destination == destination && is_in(side.under_way);
  });
}

/// It had led nowhere, and by a replay it goes wherever routes lead now; also where it has been before, as history.
bool is_led_by(const Turn& turn, Sequence sequence) {
  return std::ranges::any_of(turn.parked, [&](const Turn::Change& change) {
    const Parked& row = change.row;
    return row.sequence == sequence && row.destination == unrouted && row.state == ParkedState::done;
  });
}

}  // namespace

void World::step_a_node(Chance& chance) {
  const std::size_t index = chance.below(nodes_.size());
  if (is_paused(index)) return;
  CallFault fault = CallFault::none;
  if (faults_.has(Fault::lost_commits) && chance.one_in(50)) fault = CallFault::after;
  if (faults_.has(Fault::store_errors) && chance.one_in(20)) fault = CallFault::before;
  if (fault == CallFault::after) has_other_deaths_ = true;
  step(index, fault, chance.next());
  // Between a decision and its turn is the moment at which most depends on what was written.
  if (faults_.has(Fault::crashes) && !nodes_[index]->is_between_exchanges() && chance.one_in(60)) {
    has_other_deaths_ = true;
    crash(index, chance.next());
  }
}

void World::step(std::size_t index, CallFault fault, std::uint64_t seed) {
  Node& node = *nodes_[index];
  const Owner before = node.owner();
  node.step(clock_.monotonic(), fault, seed);
  if (node.take_fenced()) summary_.sites.hit(Site::fenced_turn);
  if (node.take_taken_over()) {
    summary_.sites.hit(Site::take_over);
    count_death_of_named();
  }
  if (node.owner() != before && !node.owner().empty()) {
    lease_from_[node.owner()] = clock_.monotonic();
    last_owner_ = node.owner();
    begin_health(node.owner());
  }
  if (const Turn* decided = node.take_decided()) {
    notice_decision(*decided);
    notice_clearing(*decided);
  }
  if (const auto turn = node.take_committed()) {
    if (fault == CallFault::after) summary_.sites.hit(Site::unknown_commit);
    notice(*turn);
  }
  notice_news(index);
  send(index);
  check_bounds(index);
  node.assert_consistent();
  if (!node.owner().empty() && node.owner() == last_owner_ && node.owner() == named_.owner) check_named();
  notice_alarms(index);
  node.drop_reports();
}

void World::send(std::size_t index) {
  Node& node = *nodes_[index];
  const MonotonicTime now = clock_.monotonic();
  std::map<std::string, bool> was_broken;
  for (const Place& place : places_) was_broken[place.name] = node.is_broken(place.name);
  for (Delivery& delivery : node.release(now)) {
    const Destination& settings = *delivery.destination;
    const Sequence sequence = delivery.message->sequence;
    const bool is_last_owner = node.owner() == last_owner_;
    if (!is_last_owner) summary_.sites.hit(Site::zombie_send);
    const auto counted = counted_.find({settings.name, sequence});
    const bool is_of_before = lost_events_.contains(std::string(delivery.message->event_id));
    const bool is_retry = delivery.attempt > 1 && counted != counted_.end() && !is_of_before;
    if (is_last_owner && is_retry && counted->second >= attempts_max(settings.retry))
      violated("I6: an attempt beyond the limit", sequence);
    if (now >= lease_from_[node.owner()] + options_.lease) violated("a send began after the lease was over", sequence);
    if (is_last_owner && is_standing_still(position_, delivery))
      violated("it was sent although it is paused", sequence);
    if (is_last_owner) check_registered(delivery);
    if (is_last_owner) check_cancelled(delivery);
    const bool is_foreign = !settings.tenant_id.empty() && settings.tenant_id != delivery.message->tenant_id;
    if (is_foreign) violated("it was sent to another tenant's destination", sequence);
    check_manners(node.owner(), delivery);
    if (is_last_owner && !is_of_before) {
      const std::string wrong = replay_numbers_.sent(delivery);
      if (!wrong.empty()) violated(wrong, sequence);
    }
    checker_.sent(node.owner(), settings.name, std::string(delivery.message->event_id), !is_last_owner);
    tell(delivery.message->event_id, node.owner() + " sends it to " + settings.name + ", attempt " +
                                         std::to_string(delivery.attempt) +
                                         (delivery.replay > 0 ? ", replay " + std::to_string(delivery.replay) : ""));
    trace(3, static_cast<std::uint64_t>(sequence));
    const Sending sending{node.owner(), settings.name, std::string(delivery.message->event_id)};
    if (given_back_.erase(sending) > 0) summary_.sites.hit(Site::attempt_given_back);
    if (was_broken[settings.name]) probes_.insert(sending);
    const bool has_left = !faults_.has(Fault::pauses) || (delivery.ticket + static_cast<Ticket>(sequence)) % 4 != 0;
    flights_.push_back({index, node.life(), node.owner(), std::move(delivery), now, has_left});
  }
}

/// Nothing of a message is sent after the turn that cancelled it, until an operator replays it.
void World::check_cancelled(const Delivery& delivery) {
  const Sequence sequence = delivery.message->sequence;
  const auto is_put_away = [&](const std::string& destination) {
    const auto state = states_.find({destination, sequence});
    return state != states_.end() && state->second == ParkedState::quarantined;
  };
  const std::string& name = delivery.destination->name;
  if (is_put_away(name) && !checker_.is_history(name, sequence))
    violated("it was sent although it was put away", sequence);
  const bool is_cancelled = cancelled_.contains(sequence) && is_put_away(std::string(unrouted));
  if (is_cancelled) violated("it was sent although it was cancelled", sequence);
}

bool World::is_standing_still(const Position& position, const Delivery& delivery) const {
  const Message& message = *delivery.message;
  return std::ranges::any_of(position.sides, [&](const SideLane& side) {
    return side.is_paused && side.scope.destination == delivery.destination->name &&
           contains(side.scope, message.tenant_id, message.dispatch_key, message.priority);
  });
}

void World::notice(const Turn& turn) {
  trace(4, static_cast<std::uint64_t>(turn.position.reached));
  lease_from_[turn.owner] = clock_.monotonic();
  last_owner_ = turn.owner;
  if (turn.lease == Duration{}) summary_.sites.hit(Site::given_up);
  if (turn.clean) summary_.sites.hit(Site::cleaned);
  mark_ = turn.mark;
  notice_registry(turn);
  if (turn.routing) {
    routings_.push_back(*turn.routing);
    tell(plan_.watched, "routes version " + std::to_string(turn.routing->version) + " from number " +
                            std::to_string(turn.routing->from) + " on: " + encode(*turn.routing).substr(0, 150));
  }
  notice_events(turn);
  notice_disabled(turn);
  for (const Turn::Change& change : turn.parked) notice_parked(turn, change);
  if (turn.is_rewind) {
    auto access = database_->access();
    read_parked(access.state());
  }
  notice_position(turn);
  for (const RequestAnswer& answer : turn.answers) notice_answer(answer);
}

/// What a committed turn says about a parked delivery: its states follow their order (P3), a dead letter frees its key,
/// one that others may pass has no place in it.
void World::notice_parked(const Turn& turn, const Turn::Change& change) {
  const Parked& row = change.row;
  if (is_of_before(row)) return;
  const Delivered delivered{row.destination, row.sequence};
  const auto before = states_.find(delivered);
  const std::string was = before == states_.end() ? "new" : std::string(to_string(before->second));
  const std::string noted = change.note ? change.note->outcome : std::string();
  tell(row.sequence, turn.owner + " parks it at " + row.destination + ": " + was + " → " +
                         std::string(to_string(row.state)) + ", attempts " + std::to_string(row.attempts) +
                         ", answered " + std::to_string(row.answered) + " " + noted);
  const bool is_history = checker_.is_history(row.destination, row.sequence) || checker_.is_sent_again(row.event_id);
  if (was == "done" && row.state != ParkedState::done && !is_history)
    violated("P3: a done delivery came back", row.sequence);
  const bool is_led_here = is_led_by(turn, row.sequence) || checker_.is_sent_again(row.event_id);
  if (was == "dead" && row.state == ParkedState::waiting && noted != "replayed" && !is_led_here)
    violated("P3: a dead letter rose", row.sequence);
  if (was == "quarantined" && noted != "released" && !is_led_here) violated("P3: it left its quarantine", row.sequence);
  states_[delivered] = row.state;
  check_counted(turn, change);

  const auto settings = std::ranges::find(options_.destinations, row.destination, &Destination::name);
  const bool is_skipped = settings != options_.destinations.end() && settings->ordering == Ordering::skip;
  if (row.state == ParkedState::dead || is_skipped || noted == "unblocked") {
    checker_.excuse(row.destination, event_of(row.sequence));
  }
  if (row.state == ParkedState::dead) replay_numbers_.died(row);
  if (row.state == ParkedState::dead && was != "dead") summary_.sites.hit(Site::dead_letter);
  if (row.state == ParkedState::held) summary_.sites.hit(Site::key_blocked);
  if (noted == "replayed") summary_.sites.hit(Site::replayed);
  if (noted == "unblocked") summary_.sites.hit(Site::unblocked);
  if (row.state == ParkedState::quarantined) summary_.sites.hit(Site::quarantined);
  if (noted == "cancelled") {
    const bool is_whole = row.destination == unrouted;
    summary_.sites.hit(is_whole ? Site::cancelled_unread : Site::cancelled);
    if (is_whole) cancelled_.insert(row.sequence);
    checker_.excuse(row.destination, event_of(row.sequence));
  }
  if (noted == "dead") check_death(row);
  if (row.destination == unrouted && row.state == ParkedState::done) note_routing_again(turn, row);
  const bool is_poison_code = row.error_code == to_string(Errc::poison) && noted == "dead";
  if (is_poison_code) check_conviction(row);
  if (is_poison_code && !has_other_deaths_ && !poison_.contains(event_of(row.sequence))) {
    violated("an innocent message was taken for poison", row.sequence);
  }
  // What became another tenant's was not sent.
  const bool is_unsent = row.error_code == to_string(Errc::no_route);
  const bool is_counted = noted == "retry" || (noted == "fail" && !is_unsent);
  if (given_back_.erase({turn.owner, row.destination, row.event_id}) > 0) {
    summary_.sites.hit(Site::attempt_given_back);
    if (is_counted) violated("an outage has used up an attempt", row.sequence);
  }
}

/// A replay of a message without a delivery goes by the newest routes, also if it was cancelled before it was read.
/// Where a replay of history has failed it waits already, and that may be where no route leads any more.
void World::note_routing_again(const Turn& turn, const Parked& row) {
  const auto written = log_.find(row.sequence);
  if (written == log_.end()) return;
  const auto is_on_its_way = [&](const std::string& name) {
    const auto state = states_.find({name, row.sequence});
    return state != states_.end() && (state->second == ParkedState::waiting || state->second == ParkedState::held);
  };
  const auto is_led_to = [&](const std::vector<std::string>& led, const Parked& told) {
    if (told.sequence != row.sequence || told.state != ParkedState::waiting) return true;
    return std::ranges::find(led, told.destination) != led.end() || checker_.is_history(told.destination, row.sequence);
  };
  // A turn that brings new routes may have led it by those before them.
  for (const Routing& routing : std::views::take(std::views::reverse(routings_), turn.routing ? 2 : 1)) {
    const auto led = led_by(routing, written->second);
    const auto is_led = [&](const Turn::Change& change) { return is_led_to(led, change.row); };
    if (led.empty() || !std::ranges::all_of(led, is_on_its_way) || !std::ranges::all_of(turn.parked, is_led)) continue;
    routed_again_[written->second.event_id] = led;
    return;
  }
  violated("P1: a replay led it where no route led", row.sequence);
}

void World::notice_position(const Turn& turn) {
  if (const auto cleared = clearing_.extract(turn.owner)) {
    named_deaths_.erase(cleared.mapped());
    summary_.sites.hit(Site::suspect_cleared);
  }
  for (const SideLane& side : turn.position.sides) {
    const bool is_handed_over =
        std::ranges::any_of(side.under_way, [this](Sequence number) { return position_.open.contains(number); });
    if (is_handed_over) summary_.sites.hit(Site::late_row_handed_over);
  }
  for (const SideLane& side : turn.position.sides) {
    const bool is_behind =
        !routings_.empty() && side.reached < routings_.back().from && side.why != SideLane::Why::history;
    if (is_behind) summary_.sites.hit(Site::old_routes_used);
    const bool is_nested = std::ranges::any_of(turn.position.sides, [&](const SideLane& outer) {
      return outer.scope != side.scope && is_inside(side.scope, outer.scope);
    });
    if (is_nested) summary_.sites.hit(Site::side_lane_in_side_lane);
  }
  // Of a parked delivery its row says so; of all others, that the hole is gone. A turn may be older than the answer.
  std::erase_if(unrecorded_[turn.owner], [&](const Delivered& delivered) {
    const auto state = states_.find(delivered);
    // One that was done before, and is delivered once more as history, is a hole all the same.
    const bool is_open = (state != states_.end() && state->second != ParkedState::done) ||
                         has_hole(turn.position, delivered.first, delivered.second);
    if (!is_open) {
      checker_.recorded(delivered.first, event_of(delivered.second), turn.after + 1);
      replay_numbers_.recorded(turn.owner, delivered.first, event_of(delivered.second));
    }
    return !is_open;
  });
  // A new owner may name the same one: its time begins anew.
  if (named_.owner != turn.owner || named_.alone != turn.position.alone) {
    named_ = {turn.owner, turn.position.alone, clock_.monotonic()};
    check_isolated(turn);
  }
  position_ = turn.position;
}

void World::notice_news(std::size_t index) {
  for (const LaneNews& news : nodes_[index]->take_news()) {
    trace(10, static_cast<std::uint64_t>(news.kind));
    Sites& sites = summary_.sites;
    switch (news.kind) {
      case LaneNews::Kind::side_opened:
        if (news.why == SideLane::Why::paused) sites.hit(Site::side_lane_paused);
        if (news.why == SideLane::Why::broken) sites.hit(Site::side_lane_broken);
        if (news.why == SideLane::Why::crowded) sites.hit(Site::side_lane_crowded);
        break;
      case LaneNews::Kind::side_merged:
        sites.hit(Site::side_lane_merged);
        break;
      case LaneNews::Kind::side_ended:
        sites.hit(Site::history_replayed);
        break;
      case LaneNews::Kind::circuit_opened:
        sites.hit(Site::circuit_opened);
        break;
      case LaneNews::Kind::circuit_closed:
        sites.hit(Site::circuit_closed);
        break;
      case LaneNews::Kind::routes_changed:
        sites.hit(Site::routes_changed);
        break;
      case LaneNews::Kind::suspect_alone:
        sites.hit(Site::suspect_alone);
        break;
      case LaneNews::Kind::suspect_died:
        sites.hit(Site::suspect_dead);
        break;
      case LaneNews::Kind::disabled:
        break;  // Its turn tells.
    }
  }
}

/// P10: whatever happens, the memory of a lane is bounded.
void World::check_bounds(std::size_t index) {
  const LaneFigures figures = nodes_[index]->figures();
  const LaneLimits& limits = options_.limits;
  constexpr std::size_t retries_max = 9;  // A share of the places of each destination.
  const std::size_t in_flight_max = options_.destinations.size() * 8;
  const std::size_t window_max = limits.window_rows_max * 2 + limits.side_lanes_max + retries_max + in_flight_max;
  if (figures.window_count > window_max)
    checker_.violated("P10: the window holds " + std::to_string(figures.window_count));
  if (figures.side_lane_count > limits.side_lanes_max) checker_.violated("P10: too many side lanes");
}

void World::crash(std::size_t index, std::uint64_t seed) {
  nodes_[index]->crash(seed);
  ++summary_.crash_count;
  trace(6, summary_.crash_count);
}

void World::disturb_a_node(Chance& chance) {
  const std::size_t index = chance.below(nodes_.size());
  if (faults_.has(Fault::crashes) && chance.one_in(10)) {
    has_other_deaths_ = true;
    return crash(index, chance.next());
  }
  if (faults_.has(Fault::stops) && chance.one_in(10)) return nodes_[index]->stop();
  if (faults_.has(Fault::pauses) && chance.one_in(10)) {
    has_other_deaths_ = true;  // A frozen owner looks like a dead one.
    paused_until_[index] = clock_.monotonic() + std::chrono::milliseconds(500 + chance.below(4500));
  }
}

}  // namespace makegood::sim
