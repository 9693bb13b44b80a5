// Routes: where topics lead.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "api/json_out.hpp"
#include "api/operation.hpp"
#include "api/registry_of.hpp"
#include "api/route_documents.hpp"

namespace makegood::api {

std::optional<std::vector<Route>> routes_in(Fields& body) {
  std::vector<Route> routes;
  const bool are_there = body.objects("routes", "Route", {0, registered_max}, [&](Fields& route) {
    Route read{.pattern = route.text("pattern", {.is_required = true, .says = "As in `order.*`."}),
               .destination = route.text("destination", {.is_required = true, .is_destination = true})};
    if (std::ranges::find(routes, read) == routes.end()) routes.push_back(std::move(read));
  });
  return are_there ? std::optional(std::move(routes)) : std::nullopt;
}

std::vector<Route> without(const std::vector<Route>& routes, const std::vector<Route>& others) {
  std::vector<Route> rest;
  std::ranges::copy_if(routes, std::back_inserter(rest),
                       [&](const Route& route) { return std::ranges::find(others, route) == others.end(); });
  return rest;
}

namespace {

void put_version(Writer& writer, const Routing& routing) {
  put(writer, "version", routing.version, "0: there has been none.");
  put(writer, "from_sequence", routing.version == 0 ? 0 : routing.from + 1, "The first message that goes by it.");
  put_objects(writer, "routes", "Route", routing.routes, [](Writer& to, const Route& route) {
    put(to, "pattern", route.pattern, "As in `order.*`.");
    put(to, "destination", route.destination);
  });
}

void put_version_with_destinations(Writer& writer, const Routing& routing) {
  put_version(writer, routing);
  if (writer.sketch != nullptr) note(writer, "destinations", Schema("array").json("items", R"({"type":"string"})"), {});
  put_array(writer, "destinations", routing.destinations,
            [](Writer& to, const Destination& destination) { json::write_text(to, destination.name); });
}

void put_all_routes(Writer& writer, const LaneView& lane) {
  put_version(writer, newest_routing(lane));
  put_objects(writer, "versions", "RoutesVersion", lane.routings, put_version_with_destinations,
              "All that messages may still go by, the oldest first; the last one is the one above.");
}

void put_versions(Writer& writer, const LaneView& lane) {
  put_list(writer, "RoutesVersion", lane.routings, put_version_with_destinations);
}

struct RoutesBody {
  std::optional<std::vector<Route>> routes;
  std::string reason;
};
RoutesBody routes_body(Fields& body) {
  body.require("routes");
  return {routes_in(body), reason_in(body)};
}

Result<Answer> show_routes(const RoutedCall& routed) {
  OutboxView& view = *MAKEGOOD_TRY(routed.connections.view(routed.outbox()));
  return answer_of(MAKEGOOD_TRY(view.lane()), put_all_routes);
}

Result<Answer> list_versions(const RoutedCall& routed) {
  OutboxView& view = *MAKEGOOD_TRY(routed.connections.view(routed.outbox()));
  return answer_of(MAKEGOOD_TRY(view.lane()), put_versions);
}

Result<Answer> put_routes(const RoutedCall& routed) {
  auto [wanted, reason] = MAKEGOOD_TRY(read_body(routed.call, routes_body));

  OutboxView& view = *MAKEGOOD_TRY(routed.connections.view(routed.outbox()));
  const Routing routing = newest_routing(MAKEGOOD_TRY(view.lane()));
  const RoutingChange change{.routes = without(*wanted, routing.routes),
                             .removed_routes = without(routing.routes, *wanted)};
  auto request = MAKEGOOD_TRY(change_request(routing, change, std::move(reason)));
  if (!request) return nothing_to_do();
  return ask_and_tell(routed, *std::move(request));
}

constexpr auto about_routes = std::to_array<Operation>({
    shows("show_routes", "/api/outboxes/{outbox}/routes", "destinations", show_routes, "Where topics lead",
          {200, "The newest version.", "Routes", writes<put_all_routes>}),
    shows("list_route_versions", "/api/outboxes/{outbox}/routes/versions", "destinations", list_versions,
          "Where topics lead, and since which message",
          {200, "All that messages may still go by, the oldest first; there is no second page.", "RoutesVersionList",
           writes<put_versions>}),
    {.id = "put_routes",
     .method = "PUT",
     .path = "/api/outboxes/{outbox}/routes",
     .role = Role::operate,
     .handler = put_routes,
     .tag = "destinations",
     .summary = "Replace all routes",
     .body = {"NewRoutes", reads<routes_body>},
     .replies = asked_replies},
});

}  // namespace

Operations route_operations() { return about_routes; }

}  // namespace makegood::api
