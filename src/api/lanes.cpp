// What operators ask of a lane: pause, resume, unblock, replays of history, rewind, go-on.
#include <fmt/format.h>

#include <array>

#include "api/asking.hpp"
#include "api/json_out.hpp"
#include "api/operation.hpp"
#include "api/paging.hpp"

namespace makegood::api {
namespace {

constexpr IntegerRange sequence_range{1, std::numeric_limits<Sequence>::max()};

constexpr TextRule destination_rule{.is_required = true, .is_destination = true};

/// A destination, or a tenant at it.
NewRequest scope_in(Fields& body) {
  NewRequest request{.destination = body.text("destination", destination_rule), .operator_name = {}};
  request.tenant_id = body.text("tenant_id", {.says = "Only this tenant's messages."});
  request.reason = reason_in(body);
  return request;
}

NewRequest history_in(Fields& body) {
  NewRequest request = scope_in(body);
  request.sequence =
      body.integer("from", sequence_range, "The first message; the oldest that is kept if it is left out.").value_or(0);
  request.until = body.integer("until", sequence_range, "The last message.").value_or(0);
  if (request.until != 0 && request.until < request.sequence) {
    body.mistake("until", fmt::format("is {}, before from; it names the last message", request.until));
  }
  return request;
}

NewRequest unblock_in(Fields& body) {
  body.require("sequence");
  return {.sequence = body.integer("sequence", sequence_range).value_or(0),
          .destination = body.text("destination", destination_rule),
          .operator_name = {},
          .reason = reason_in(body)};
}

NewRequest rewind_in(Fields& body) {
  constexpr std::string_view first = "The first message to send; the first that is there if it is left out.";
  return {.sequence = body.integer("to", sequence_range, first).value_or(0),
          .destination = {},
          .operator_name = {},
          .reason = reason_in(body)};
}

template <RequestKind Kind, auto Read>
Result<Answer> ask_about_scope(const RoutedCall& routed) {
  NewRequest request = MAKEGOOD_TRY(read_body(routed.call, Read));
  request.kind = Kind;
  OutboxView& view = *MAKEGOOD_TRY(routed.connections.view(routed.outbox()));
  const LaneView lane = MAKEGOOD_TRY(view.lane());
  MAKEGOOD_TRY(check_destination(lane, request.destination));
  return ask_and_tell(routed, std::move(request));
}

Result<Answer> unblock(const RoutedCall& routed) {
  NewRequest request = MAKEGOOD_TRY(read_body(routed.call, unblock_in));
  request.kind = RequestKind::unblock;
  OutboxView& view = *MAKEGOOD_TRY(routed.connections.view(routed.outbox()));
  MAKEGOOD_TRY(view.inspect("", request.sequence, request.destination));
  return ask_and_tell(routed, std::move(request));
}

struct Rewound {
  Asked asked = {};
  RewindView counted = {};
};
void put_rewound(Writer& writer, const Rewound& rewound) {
  put_asked(writer, rewound.asked);
  put(writer, "row_count", rewound.counted.row_count, "How many messages are sent.");
  put(writer, "repeat_count", rewound.counted.repeat_count,
      "Of those, how many were probably sent before: they are older than the turn that passed them.");
}

/// The rows are counted before the owner is asked: afterwards they are on their way.
Result<Answer> rewind(const RoutedCall& routed) {
  NewRequest request = MAKEGOOD_TRY(read_body(routed.call, rewind_in));
  request.kind = RequestKind::rewind;
  OutboxView& view = *MAKEGOOD_TRY(routed.connections.view(routed.outbox()));
  Rewound rewound{.counted = MAKEGOOD_TRY(view.count_rewind(request.sequence))};
  rewound.asked = MAKEGOOD_TRY(ask(routed, std::move(request)));
  return answer_of(rewound, put_rewound, rewound.asked.is_done ? 200 : 202);
}

Result<Answer> go_on(const RoutedCall& routed) {
  NewRequest request{.kind = RequestKind::go_on, .destination = {}, .operator_name = {}};
  request.reason = MAKEGOOD_TRY(reason_of(routed.call));
  return ask_and_tell(routed, std::move(request));
}

constexpr auto about_lanes = std::to_array<Operation>({
    asks("unblock", "/api/outboxes/{outbox}/unblock", "lanes", unblock,
         "Let the messages behind a failed one pass it; their order is lost", {"Unblock", reads<unblock_in>}),
    asks("pause", "/api/outboxes/{outbox}/pause", "lanes", ask_about_scope<RequestKind::pause, scope_in>,
         "Send nothing more to a destination, or for one tenant at it", {"AboutScope", reads<scope_in>}),
    asks("resume", "/api/outboxes/{outbox}/resume", "lanes", ask_about_scope<RequestKind::resume, scope_in>,
         "Send again to what was paused or disabled, in order", {"AboutScope", reads<scope_in>}),
    asks("replay_history", "/api/outboxes/{outbox}/history", "lanes", ask_about_scope<RequestKind::history, history_in>,
         "Deliver again what was delivered, or backfill a new destination", {"History", reads<history_in>}),
    asks("cancel_history", "/api/outboxes/{outbox}/cancel", "lanes", ask_about_scope<RequestKind::cancel, scope_in>,
         "End a replay of history before it is through", {"AboutScope", reads<scope_in>}),
    {.id = "rewind",
     .method = "POST",
     .path = "/api/outboxes/{outbox}/rewind",
     .role = Role::operate,
     .handler = rewind,
     .tag = "lanes",
     .summary = "Of a lane that has stopped because of its log; send what is there, also what was sent before",
     .body = {"Rewind", reads<rewind_in>},
     .replies = {Reply{200, was_done, "RewindAnswer", writes<put_rewound>},
                 Reply{202, is_open, "RewindAnswer", writes<put_rewound>}},
     .also = {409, 507}},
    asks("go_on", "/api/outboxes/{outbox}/go-on", "lanes", go_on,
         "Of a lane that has stopped because of its log, which is right again; keep the position", because),
});

}  // namespace

Operations lane_operations() { return about_lanes; }

}  // namespace makegood::api
