// One outbox: how far its lane and its side lanes are, and what holds keys up.
#include <algorithm>

#include "api/handlers.hpp"
#include "api/paging.hpp"
#include "api/view_json.hpp"

namespace makegood::api {
namespace {

void put_suspects(Writer& writer, const Position& position) {
  json::write_name(writer, "suspects");
  writer.StartArray();
  for (const auto& [destination, deaths_of] : position.suspects) {
    for (const auto& [sequence, deaths] : deaths_of) {
      writer.StartObject();
      put(writer, "destination", destination);
      put(writer, "sequence", sequence);
      put(writer, "deaths", deaths);
      put(writer, "is_alone", position.alone == Position::Alone{destination, sequence});
      writer.EndObject();
    }
  }
  writer.EndArray();
}

void put_lane(Writer& writer, const LaneView& lane) {
  const bool was_taken = !lane.owner.empty();
  writer.StartObject();
  put_or_null(writer, "owner", lane.owner);
  put(writer, "is_owned", is_owned(lane, system_clock().now()));
  put(writer, "turn", lane.turn);
  put(writer, "at", was_taken ? std::optional(lane.at) : std::nullopt);
  put(writer, "lease_until", was_taken ? std::optional(lane.lease_until) : std::nullopt);
  put(writer, "counter", lane.counter);
  put(writer, "reached", lane.position.reached);
  put(writer, "lag", lane.counter - lane.position.reached);
  put(writer, "under_way_count", under_way_count(lane.position));
  put(writer, "open_count", lane.position.open.count());
  put_suspects(writer, lane.position);
  writer.EndObject();
}

void put_sides(Writer& writer, std::string_view name, const LaneView& lane) {
  put_array(writer, name, lane.position.sides,
            [&](Writer& to, const SideLane& side) { put_side(to, side, lane.counter); });
}

void put_whole_backlog(Writer& writer, const Backlog& backlog, const LaneView& lane) {
  writer.StartObject();
  put(writer, "pending_count", backlog.pending_count);
  put(writer, "oldest_pending_at", backlog.oldest_pending_at);
  put_array(writer, "destinations", backlog.destinations, [&](Writer& to, const DestinationBacklog& destination) {
    const SideLane* side = side_of(lane.position, destination.destination);
    put_backlog(to, destination, side == nullptr ? 0 : lag_of(*side, lane.counter));
  });
  writer.EndObject();
}

}  // namespace

Result<Answer> show_outbox(const Question& question) {
  DeadLetterStore& letters = *MAKEGOOD_TRY(question.desk.letters(question.outbox()));
  OutboxView& view = *MAKEGOOD_TRY(question.desk.view(question.outbox()));
  const LaneView lane = MAKEGOOD_TRY(letters.lane());
  const Backlog backlog = MAKEGOOD_TRY(view.backlog());
  return object_answer(200, [&](Writer& writer) {
    put(writer, "outbox", question.outbox());
    json::write_name(writer, "lane");
    put_lane(writer, lane);
    put_sides(writer, "sides", lane);
    json::write_name(writer, "backlog");
    put_whole_backlog(writer, backlog, lane);
  });
}

Result<Answer> list_sides(const Question& question) {
  DeadLetterStore& letters = *MAKEGOOD_TRY(question.desk.letters(question.outbox()));
  const LaneView lane = MAKEGOOD_TRY(letters.lane());
  return object_answer(200, [&](Writer& writer) {
    put_sides(writer, "items", lane);
    put_null(writer, "next");
  });
}

Result<Answer> list_blocked(const Question& question) {
  Mistakes mistakes;
  Fields query = Fields::of_query(question.call.query, mistakes);
  const std::size_t limit = limit_of(query);
  query.refuse_the_rest();
  if (!mistakes.empty()) return mistakes.as_error("The query");

  DeadLetterStore& letters = *MAKEGOOD_TRY(question.desk.letters(question.outbox()));
  const auto keys = MAKEGOOD_TRY(letters.blocked_keys(limit));
  return list_answer(keys, {}, [](Writer& writer, const BlockedKey& key) {
    const bool is_waiting = key.head.state == ParkedState::waiting;
    writer.StartObject();
    put_parked(writer, key.head);
    put(writer, "due_at", is_waiting ? std::optional(key.head.due_at) : std::nullopt);
    put(writer, "waiting_count", key.waiting_count);
    writer.EndObject();
  });
}

}  // namespace makegood::api
