#include "api/registry_of.hpp"

#include <algorithm>

namespace makegood::api {

Routing newest_routing(const LaneView& lane) { return lane.routings.empty() ? Routing{} : lane.routings.back(); }

const Destination* find_destination(const Routing& routing, std::string_view name) {
  const auto found = std::ranges::find(routing.destinations, name, &Destination::name);
  return found == routing.destinations.end() ? nullptr : &*found;
}

Result<const Destination*> registered(const Routing& routing, const std::string& name) {
  const Destination* destination = find_destination(routing, name);
  if (destination != nullptr) return destination;
  std::vector<std::string> known;
  known.reserve(routing.destinations.size());
  for (const Destination& one : routing.destinations) known.push_back(one.name);
  return no_such_destination(name, known);
}

Result<std::optional<NewRequest>> change_request(const Routing& routing, const RoutingChange& change,
                                                 std::string reason) {
  const Routing changed = MAKEGOOD_TRY(apply(routing, change));
  if (changed.destinations == routing.destinations && changed.routes == routing.routes) {
    return std::optional<NewRequest>();
  }
  NewRequest request{.kind = RequestKind::configure, .destination = {}, .operator_name = {}};
  request.reason = std::move(reason);
  request.document = encode(change);
  return std::optional(std::move(request));
}

}  // namespace makegood::api
