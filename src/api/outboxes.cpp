// One outbox: how far its lane and its side lanes are, and what holds keys up.
#include <algorithm>
#include <array>

#include "api/operation.hpp"
#include "api/paging.hpp"
#include "api/view_json.hpp"

namespace makegood::api {
namespace {

struct Suspect {
  std::string_view destination = {};
  Sequence sequence = 0;
  std::uint32_t deaths = 0;
  bool is_alone = false;
};

std::vector<Suspect> suspects_of(const Position& position) {
  std::vector<Suspect> suspects;
  for (const auto& [destination, deaths_of] : position.suspects) {
    for (const auto& [sequence, deaths] : deaths_of) {
      const bool is_alone = position.alone == Position::Alone{destination, sequence};
      suspects.push_back({destination, sequence, static_cast<std::uint32_t>(deaths), is_alone});
    }
  }
  return suspects;
}

void put_suspect(Writer& writer, const Suspect& suspect) {
  put(writer, "destination", suspect.destination);
  put(writer, "sequence", suspect.sequence);
  put(writer, "deaths", suspect.deaths);
  put(writer, "is_alone", suspect.is_alone);
}

void put_lane(Writer& writer, const LaneView& lane) {
  const bool was_taken = !lane.owner.empty();
  put_or_null(writer, "owner", lane.owner, "Null: never taken.");
  put(writer, "is_owned", is_owned(lane, system_clock().now()));
  put(writer, "turn", lane.turn);
  put(writer, "at", was_taken ? std::optional(lane.at) : std::nullopt);
  put(writer, "lease_until", was_taken ? std::optional(lane.lease_until) : std::nullopt);
  put(writer, "counter", lane.counter);
  put(writer, "reached", lane.position.reached);
  put_signed(writer, "lag", lane.counter - lane.position.reached, "In numbers; below 0 when the counter was set back.");
  put(writer, "under_way_count", under_way_count(lane.position));
  put(writer, "open_count", lane.position.open.count());
  put_objects(writer, "suspects", "Suspect", suspects_of(lane.position), put_suspect);
}

auto side_writer(const LaneView& lane) {
  return [counter = lane.counter](Writer& to, const SideLane& side) { put_side(to, side, counter); };
}
void put_sides(Writer& writer, const LaneView& lane) {
  put_list(writer, "Side", lane.position.sides, side_writer(lane));
}

void put_lanes(Writer& writer, const LaneView& lane) {
  put_lane(writer, lane);
  put_objects(writer, "sides", "Side", lane.position.sides, side_writer(lane));
}

void put_whole_backlog(Writer& writer, const Backlog& backlog, const LaneView& lane) {
  put(writer, "pending_count", backlog.pending_count);
  put(writer, "oldest_pending_at", backlog.oldest_pending_at);
  put_objects(writer, "destinations", "DestinationBacklog", backlog.destinations,
              [&](Writer& to, const DestinationBacklog& destination) {
                const SideLane* side = side_of(lane.position, destination.destination);
                put_backlog(to, destination, side == nullptr ? 0 : lag_of(*side, lane.counter));
              });
}

struct WholeOutbox {
  std::string name;
  LaneView lane;
  Backlog backlog;
};
void put_outbox(Writer& writer, const WholeOutbox& outbox) {
  put(writer, "outbox", outbox.name);
  put_object(writer, "lane", "Lane", [&](Writer& to) { put_lane(to, outbox.lane); });
  put_objects(writer, "sides", "Side", outbox.lane.position.sides, side_writer(outbox.lane));
  put_object(writer, "backlog", "Backlog", [&](Writer& to) { put_whole_backlog(to, outbox.backlog, outbox.lane); });
}

void put_blocked(Writer& writer, const BlockedKey& key) {
  const bool is_waiting = key.head.state == ParkedState::waiting;
  put_parked(writer, key.head);
  put(writer, "due_at", is_waiting ? std::optional(key.head.due_at) : std::nullopt);
  put(writer, "waiting_count", key.waiting_count, "How many wait behind it.");
}
void put_all_blocked(Writer& writer, const std::vector<BlockedKey>& keys) {
  put_list(writer, "BlockedKey", keys, put_blocked);
}

Result<Answer> show_outbox(const RoutedCall& routed) {
  OutboxView& view = *MAKEGOOD_TRY(routed.connections.view(routed.outbox()));
  return answer_of(
      WholeOutbox{.name = routed.outbox(), .lane = MAKEGOOD_TRY(view.lane()), .backlog = MAKEGOOD_TRY(view.backlog())},
      put_outbox);
}

Result<Answer> show_lanes(const RoutedCall& routed) {
  OutboxView& view = *MAKEGOOD_TRY(routed.connections.view(routed.outbox()));
  return answer_of(MAKEGOOD_TRY(view.lane()), put_lanes);
}

Result<Answer> list_sides(const RoutedCall& routed) {
  OutboxView& view = *MAKEGOOD_TRY(routed.connections.view(routed.outbox()));
  return answer_of(MAKEGOOD_TRY(view.lane()), put_sides);
}

Result<Answer> list_blocked(const RoutedCall& routed) {
  const std::size_t limit = MAKEGOOD_TRY(read_query(routed.call, limit_of));

  OutboxView& view = *MAKEGOOD_TRY(routed.connections.view(routed.outbox()));
  return answer_of(MAKEGOOD_TRY(view.blocked_keys(limit)), put_all_blocked);
}

constexpr auto about_outboxes = std::to_array<Operation>({
    shows("show_outbox", "/api/outboxes/{outbox}", "lanes", show_outbox,
          "The lane, its side lanes and the backlog of each destination",
          {200, "As the last turn tells it.", "Outbox", writes<put_outbox>}),
    shows("show_lanes", "/api/outboxes/{outbox}/lanes", "lanes", show_lanes, "How far the lane and its side lanes are",
          {200, "As the last turn tells it.", "Lanes", writes<put_lanes>}),
    shows("list_sides", "/api/outboxes/{outbox}/sides", "lanes", list_sides, "Side lanes",
          {200, "All of them; there is no second page.", "SideList", writes<put_sides>}),
    shows("list_blocked", "/api/outboxes/{outbox}/blocked", "lanes", list_blocked,
          "Keys whose messages wait behind a failed one",
          {200, "The first `limit` of them; there is no second page.", "BlockedList", writes<put_all_blocked>},
          reads<limit_of>),
});

}  // namespace

Operations outbox_operations() { return about_outboxes; }

}  // namespace makegood::api
