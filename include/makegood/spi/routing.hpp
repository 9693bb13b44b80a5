// Which topics led where, by version: a message goes by the version of its number, whoever reads it and whenever.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "makegood/destination.hpp"
#include "makegood/spi/position.hpp"

namespace makegood {

/// Destinations and routes as they were for the numbers above `from`, until the next version.
struct Routing {
  std::int64_t version = 0;  ///< 1, 2, 3 …
  Sequence from = 0;
  std::vector<Route> routes = {};
  std::vector<Destination> destinations = {};
};

/// {"routes":[{"pattern":"order.*","destination":"fn:billing"}],"destinations":[{"name":"fn:billing",…}]}; without
/// version and from, which are columns of their own.
std::string encode(const Routing& routing);
Result<Routing> decode_routing(std::string_view json);

/// Destinations that were registered on a tenant's behalf, and on whose: nobody else's messages go there, whatever
/// the routes say.
using Tenants = std::map<std::string, std::string, std::less<>>;
Tenants tenants_of(const Routing& routing);
bool may_go(const Tenants& tenants, std::string_view destination, std::string_view tenant_id);
/// Whether a message of this topic and tenant leads anywhere.
bool has_route(const std::vector<Route>& routes, const Tenants& tenants, std::string_view topic,
               std::string_view tenant_id);

/// What an operator changes, in one piece: one request, one version.
struct RoutingChange {
  std::vector<Destination> destinations = {};          ///< Added, or put in the place of those with their names.
  std::vector<std::string> removed_destinations = {};  ///< Routes to them go too.
  std::vector<Route> routes = {};                      ///< Added, unless they are there.
  std::vector<Route> removed_routes = {};
};
std::string encode(const RoutingChange& change);
Result<RoutingChange> decode_routing_change(std::string_view json);
/// What would be in force: removals first. A route to a destination that is not registered is Errc::invalid. Version
/// and from stay as they are.
Result<Routing> apply(Routing routing, const RoutingChange& change);

/// The rows that a lane carries, of all those that its look passes. Evaluated by the store, next to the data.
struct Filter {
  std::vector<Route> routes = {};  ///< Of the version that counts for the numbers looked at.
  Tenants tenants = {};            ///< Of the same version.
  std::optional<Scope> scope =
      {};  ///< The side lane's own. Nothing: the main lane, which also wants what has no route.
  std::vector<Scope> elsewhere = {};  ///< Open scopes that are carried by other lanes: all, or those inside `scope`.
  bool is_history = false;            ///< Leaves out what is parked and not done: that has a story of its own.
};

bool wants(const Filter& filter, std::string_view topic, std::string_view tenant_id, std::string_view dispatch_key,
           int priority);

}  // namespace makegood
