// Destinations: seen with their health and backlog, added, changed, removed, enabled and disabled.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "api/asking.hpp"
#include "api/destination_document.hpp"
#include "api/health.hpp"
#include "api/operation.hpp"
#include "api/registry_of.hpp"
#include "api/view_json.hpp"

namespace makegood::api {
namespace {

struct Registered {
  LaneView lane;
  Routing routing;
  Backlog backlog;
};

Result<LaneView> lane_of(const RoutedCall& routed) {
  OutboxView& view = *MAKEGOOD_TRY(routed.connections.view(routed.outbox()));
  return view.lane();
}

Result<Registered> read_registered(const RoutedCall& routed) {
  Registered registered;
  registered.lane = MAKEGOOD_TRY(lane_of(routed));
  registered.routing = newest_routing(registered.lane);
  OutboxView& view = *MAKEGOOD_TRY(routed.connections.view(routed.outbox()));
  registered.backlog = MAKEGOOD_TRY(view.backlog());
  return registered;
}

void put_destination_view(Writer& writer, const Destination& destination, const Registered& registered) {
  const Health health = health_of(registered.lane, destination.name);
  const auto& backlogs = registered.backlog.destinations;
  const auto found = std::ranges::find(backlogs, destination.name, &DestinationBacklog::destination);
  const DestinationBacklog backlog =
      found == backlogs.end() ? DestinationBacklog{.destination = destination.name} : *found;
  put_document(writer, destination);
  put_object(writer, "health", "Health", [&](Writer& to) { put_health(to, health); });
  put_object(writer, "backlog", "DestinationBacklog", [&](Writer& to) { put_backlog(to, backlog, health.lag); });
}

void put_destinations(Writer& writer, const Registered& all) {
  put_list(writer, "Destination", all.routing.destinations,
           [&](Writer& to, const Destination& destination) { put_destination_view(to, destination, all); });
}
void describe_destination(Writer& writer) { put_destination_view(writer, {}, {}); }

struct Manner {
  std::string reason = {};
  bool replaces = false;  ///< The document is the whole destination, and not a change of it.
};

constexpr TextRule kept_reason{.bytes_min = 0, .bytes_max = reason_rule.bytes_max, .says = "Kept with the request."};
std::string removal_query(Fields& query) { return query.text("reason", kept_reason); }
Manner change_query(Fields& query) {
  constexpr std::string_view whole = "The document is the whole destination; what it leaves out gets its default.";
  return {.reason = query.text("reason", kept_reason), .replaces = query.flag("replace", whole)};
}

Result<Answer> configure(const RoutedCall& routed, const Routing& routing, const RoutingChange& change,
                         std::string reason) {
  auto request = MAKEGOOD_TRY(change_request(routing, change, std::move(reason)));
  if (!request) return nothing_to_do();
  return ask_and_tell(routed, *std::move(request));
}

Result<Answer> ask_about_destination(const RoutedCall& routed, RequestKind kind) {
  NewRequest request{.kind = kind, .destination = routed.destination(), .operator_name = {}};
  request.reason = MAKEGOOD_TRY(reason_of(routed.call));
  const LaneView lane = MAKEGOOD_TRY(lane_of(routed));
  MAKEGOOD_TRY(check_destination(lane, request.destination));
  return ask_and_tell(routed, std::move(request));
}

Result<Answer> list_destinations(const RoutedCall& routed) {
  return answer_of(MAKEGOOD_TRY(read_registered(routed)), put_destinations);
}

Result<Answer> show_destination(const RoutedCall& routed) {
  const Registered all = MAKEGOOD_TRY(read_registered(routed));
  const Destination& destination = *MAKEGOOD_TRY(registered(all.routing, routed.destination()));
  return object_answer(200, [&](Writer& writer) { put_destination_view(writer, destination, all); });
}

Result<Answer> put_destination(const RoutedCall& routed) {
  Manner manner = MAKEGOOD_TRY(read_query(routed.call, change_query));
  const Routing routing = newest_routing(MAKEGOOD_TRY(lane_of(routed)));
  DestinationRules rules = routed.connections.destination_rules();
  if (!manner.replaces) rules.present = &routing;
  Mistakes mistakes;
  auto destination = destination_from(routed.call.body, routed.destination(), rules, mistakes);
  if (!destination) return mistakes.as_error("The destination");
  return configure(routed, routing, {.destinations = {*std::move(destination)}}, std::move(manner.reason));
}

Result<Answer> remove_destination(const RoutedCall& routed) {
  std::string reason = MAKEGOOD_TRY(read_query(routed.call, removal_query));
  const Routing routing = newest_routing(MAKEGOOD_TRY(lane_of(routed)));
  MAKEGOOD_TRY(registered(routing, routed.destination()));
  return configure(routed, routing, {.removed_destinations = {routed.destination()}}, std::move(reason));
}

Result<Answer> enable_destination(const RoutedCall& routed) {
  return ask_about_destination(routed, RequestKind::resume);
}
Result<Answer> disable_destination(const RoutedCall& routed) {
  return ask_about_destination(routed, RequestKind::pause);
}

constexpr std::string_view change_description =
    R"(Of a destination that is there, what is left out stays; headers, secret headers and answers are changed name by
name, lists as a whole. A change that would lose a secret (a signing key, a secret header, a client key) is
refused. With `replace` the document is the whole destination.
What is left out of a new one, or with `replace`, gets its default: what the configuration of the process says at
this moment (`tx.outbox.*`), or else the one named in the schema. It is stored, and a later change of the
configuration does not change it.
`health` and `backlog` are ignored. What the process would never send to is refused (`http.*`).
)";
constexpr std::string_view change_example =
    R"({"rate_max": 200, "timeout_ms": 10000,
        "http": {"url": "http://127.0.0.1:8080/events", "signing_keys": ["env:MAKEGOOD_SECRET_BILLING"]}})";

constexpr auto about_destinations = std::to_array<Operation>({
    shows("list_destinations", "/api/outboxes/{outbox}/destinations", "destinations", list_destinations,
          "Destinations with their health and backlog",
          {200, "All of them; there is no second page.", "DestinationList", writes<put_destinations>}),
    shows("show_destination", "/api/outboxes/{outbox}/destinations/{destination}", "destinations", show_destination,
          "One destination with its health and backlog",
          {200, "Where secrets are is in it; the secrets are not.", "Destination", describe_destination}),
    {.id = "put_destination",
     .method = "PUT",
     .path = "/api/outboxes/{outbox}/destinations/{destination}",
     .role = Role::operate,
     .handler = put_destination,
     .tag = "destinations",
     .summary = "Add a destination, or change it",
     .description = change_description,
     .query = reads<change_query>,
     .body = {"DestinationDocument", describe_document, {change_example}},
     .replies = asked_replies},
    {.id = "remove_destination",
     .method = "DELETE",
     .path = "/api/outboxes/{outbox}/destinations/{destination}",
     .role = Role::operate,
     .handler = remove_destination,
     .tag = "destinations",
     .summary = "Remove a destination and the routes to it",
     .query = reads<removal_query>,
     .replies = asked_replies},
    asks("enable_destination", "/api/outboxes/{outbox}/destinations/{destination}/enable", "destinations",
         enable_destination, "Send to it again: what was disabled or paused goes on where it stood", because),
    asks("disable_destination", "/api/outboxes/{outbox}/destinations/{destination}/disable", "destinations",
         disable_destination, "Send nothing more to it: what is for it waits", because),
});

}  // namespace

Operations destination_operations() { return about_destinations; }

}  // namespace makegood::api
