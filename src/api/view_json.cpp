#include "api/view_json.hpp"

#include <algorithm>

#include "api/json_value.hpp"
#include "api/path.hpp"
#include "base/base64.hpp"

namespace makegood::api {
namespace {

std::optional<Sequence> unless_zero(Sequence sequence) {
  return sequence == 0 ? std::nullopt : std::optional(sequence);
}

constexpr std::string_view counted = "Those of them that count against `attempts_max`.";

/// Null when there is none; an empty one is one.
void put_content_text(Writer& writer, std::string_view name, const std::optional<std::string>& text,
                      std::string_view says) {
  text ? put(writer, name, std::string_view(*text)) : put_null(writer, name);
  if (writer.sketch != nullptr) note(writer, name, Schema().json("type", R"(["string","null"])"), says);
}

/// What is stored should be an object of texts; a producer may have written something else.
bool is_object(std::string_view json) { return !json.empty() && read_object(json).has_value(); }

}  // namespace

void put_summary(Writer& writer, const MessageSummary& summary) {
  put(writer, "sequence", summary.sequence);
  put(writer, "event_id", summary.event_id);
  put(writer, "tenant_id", summary.tenant_id);
  put(writer, "topic", summary.topic);
  put_or_null(writer, "dispatch_key", summary.dispatch_key);
  put_signed(writer, "priority", summary.priority);
  put_word(writer, "state", summary.state, MessageState::quarantined);
  put(writer, "attempts", summary.attempts);
  put(writer, "created_at", summary.created_at);
  put(writer, "published_at", summary.published_at);
  put(writer, "available_at", summary.available_at);
  put_or_null(writer, "last_error", summary.last_error);
}

void put_content(Writer& writer, const Message& message, bool is_hidden) {
  const bool is_text = message.is_json && is_utf8(message.content);
  const auto shown_if = [&](bool is_it, std::string content) {
    return is_it && !is_hidden ? std::optional(std::move(content)) : std::nullopt;
  };
  put(writer, "is_content_hidden", is_hidden, "The caller is no operator: payload, body and headers are left out.");
  put_content_text(writer, "payload_text", shown_if(is_text, std::string(message.content)),
                   "The payload as it was enqueued; null if that is not UTF-8.");
  put_content_text(writer, "body_base64", shown_if(!is_text, to_base64(message.content)),
                   "Of a message without a payload, and of a payload that is not UTF-8: byte for byte.");
  put(writer, "content_type", message.content_type);
  put_json(writer, "headers", !is_hidden && is_object(message.headers) ? message.headers : "{}",
           Schema("object").json("additionalProperties", R"({"type":"string"})"));
  put_or_null(writer, "envelope_id", message.envelope_id);
  put_or_null(writer, "traceparent", message.traceparent);
  put_or_null(writer, "tracestate", message.tracestate);
  put(writer, "expires_at", message.expires_at);
}

void put_parked(Writer& writer, const Parked& parked) {
  put(writer, "sequence", parked.sequence);
  put(writer, "destination", parked.destination);
  put(writer, "tenant_id", parked.tenant_id);
  put_or_null(writer, "dispatch_key", parked.dispatch_key);
  put_word(writer, "state", parked.state, ParkedState::done);
  put(writer, "attempts", parked.attempts, "All sends.");
  put(writer, "answered", parked.answered, counted);
  put_or_null(writer, "error_code", parked.error_code);
  put_or_null(writer, "last_error", parked.last_error);
}

void put_dead(Writer& writer, const DeadLetter& letter) {
  put_parked(writer, letter.parked);
  put(writer, "topic", letter.topic);
  put(writer, "event_id", letter.event_id);
  put(writer, "changed_at", letter.changed_at);
}

void put_request(Writer& writer, const RequestView& request) {
  put(writer, "request", request.id);
  put_word(writer, "kind", request.asked.kind, RequestKind::go_on);
  put(writer, "sequence", unless_zero(request.asked.sequence));
  put_or_null(writer, "destination", request.asked.destination);
  put_or_null(writer, "tenant_id", request.asked.tenant_id);
  put(writer, "until", unless_zero(request.asked.until));
  put(writer, "operator", request.asked.operator_name);
  put_or_null(writer, "reason", request.asked.reason);
  put_or_null(writer, "document", request.asked.document, "Of `configure`: what was to change, as it is stored.");
  put(writer, "created_at", request.created_at);
  put(writer, "done_at", request.done_at);
  put(writer, "result", request.result.empty() ? std::string_view("open") : std::string_view(request.result),
      "`open`, `done`, or why not.");
}

void put_attempt(Writer& writer, const AttemptNote& note) {
  put(writer, "attempt", note.attempt);
  put(writer, "at", note.at);
  put(writer, "outcome", note.outcome);
  put_or_null(writer, "code", note.code);
  put_or_null(writer, "error", note.error);
  put_or_null(writer, "owner", note.owner);
}

void put_delivery(Writer& writer, const DeliveryView& delivery) {
  put(writer, "destination", delivery.destination);
  put_one_of(writer, "state", delivery.state,
             {"pending", "under_way", "delivered", "waiting", "held", "dead", "quarantined", "done"});
  put(writer, "attempts", delivery.attempts, "All sends.");
  put(writer, "answered", delivery.answered, counted);
  put(writer, "blocks", delivery.blocks, "Later messages of its key wait for it.");
  put(writer, "due_at", delivery.due_at);
  put_or_null(writer, "error_code", delivery.error_code);
  put_or_null(writer, "last_error", delivery.last_error);
  put_objects(writer, "story", "Attempt", delivery.story, put_attempt);
}

void put_group(Writer& writer, const DeadGroup& group) {
  put(writer, "topic", group.topic);
  put(writer, "destination", group.destination);
  put_or_null(writer, "error_code", group.error_code);
  put(writer, "count", group.count);
  put(writer, "first_at", group.first_at);
  put(writer, "last_at", group.last_at);
  put(writer, "example", group.example, "The number of the newest.");
  put_or_null(writer, "example_error", group.example_error);
}

void put_side(Writer& writer, const SideLane& side, Sequence counter) {
  const bool is_history = side.why == SideLane::Why::history;
  put(writer, "destination", side.scope.destination);
  put_or_null(writer, "tenant_id", side.scope.tenant_id, "Null: all tenants.");
  put_or_null(writer, "dispatch_key", side.scope.dispatch_key);
  put(writer, "priority", side.scope.priority);
  put_word(writer, "why", side.why, SideLane::Why::disabled);
  put(writer, "is_paused", side.is_paused);
  put_or_null(writer, "because", side.because, "Paused: who asked, and why. Disabled: what the destination did.");
  put(writer, "since", side.since == TimePoint{} ? std::nullopt : std::optional(side.since),
      "While it is paused or disabled.");
  put(writer, "reached", side.reached);
  put(writer, "lag", lag_of(side, counter), "Numbers of the log, whosever they are, up to the counter or to its end.");
  put(writer, "under_way_count", side.under_way.size());
  put(writer, "end", is_history ? std::optional(side.end) : std::nullopt, "Of a replay of history.");
}

void put_backlog(Writer& writer, const DestinationBacklog& backlog, Sequence lag) {
  put(writer, "destination", backlog.destination);
  put(writer, "under_way_count", backlog.under_way_count);
  put(writer, "waiting_count", backlog.waiting_count);
  put(writer, "held_count", backlog.held_count);
  put(writer, "dead_count", backlog.dead_count);
  put(writer, "quarantined_count", backlog.quarantined_count);
  put(writer, "oldest_at", backlog.oldest_at);
  put(writer, "lag", lag, "Of its own side lane; 0 without one.");
}

const SideLane* side_of(const Position& position, std::string_view destination) {
  const auto is_it = [&](const SideLane& side) {
    return side.why != SideLane::Why::history && side.scope == Scope{.destination = std::string(destination)};
  };
  const auto found = std::ranges::find_if(position.sides, is_it);
  return found == position.sides.end() ? nullptr : &*found;
}

Sequence lag_of(const SideLane& side, Sequence counter) {
  const Sequence end = side.why == SideLane::Why::history ? side.end : counter;
  return std::max<Sequence>(0, end - side.reached);
}

std::size_t under_way_count(const Position& position) {
  std::size_t count = 0;
  for (const auto& [destination, numbers] : position.under_way) count += numbers.size();
  return count;
}

bool is_owned(const LaneView& lane, TimePoint now) { return !lane.owner.empty() && lane.lease_until > now; }

}  // namespace makegood::api
