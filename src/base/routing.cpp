#include "makegood/spi/routing.hpp"

#include <algorithm>

#include "base/routing_json.hpp"

namespace makegood {
namespace {

using json::Value;
using json::Writer;

Result<Routing> routing_from(std::string_view text) {
  const rapidjson::Document document = MAKEGOOD_TRY(json::parse_object(text));
  const Value* routes = MAKEGOOD_TRY(json::array_in(document, "routes"));
  const Value* destinations = MAKEGOOD_TRY(json::array_in(document, "destinations"));
  Routing routing;
  for (const auto& route : routes->GetArray()) routing.routes.push_back(MAKEGOOD_TRY(json::route_from(route)));
  for (const auto& destination : destinations->GetArray()) {
    routing.destinations.push_back(MAKEGOOD_TRY(json::destination_from(destination)));
  }
  return routing;
}

}  // namespace

std::string encode(const Routing& routing) {
  rapidjson::StringBuffer text;
  Writer writer(text);
  writer.StartObject();
  writer.Key("routes");
  writer.StartArray();
  for (const Route& route : routing.routes) json::write_route(writer, route);
  writer.EndArray();
  writer.Key("destinations");
  writer.StartArray();
  for (const Destination& destination : routing.destinations) json::write_destination(writer, destination);
  writer.EndArray();
  writer.EndObject();
  return {text.GetString(), text.GetSize()};
}

Result<Routing> decode_routing(std::string_view json) {
  auto routing = routing_from(json);
  if (!routing) {
    routing.error().message = "A stored version of the routes cannot be read; restore its table from a backup.";
  }
  return routing;
}

Tenants tenants_of(const Routing& routing) {
  Tenants tenants;
  for (const Destination& destination : routing.destinations) {
    if (!destination.tenant_id.empty()) tenants[destination.name] = destination.tenant_id;
  }
  return tenants;
}

bool may_go(const Tenants& tenants, std::string_view destination, std::string_view tenant_id) {
  const auto owner = tenants.find(destination);
  return owner == tenants.end() || owner->second == tenant_id;
}

bool has_route(const std::vector<Route>& routes, const Tenants& tenants, std::string_view topic,
               std::string_view tenant_id) {
  return std::ranges::any_of(routes, [&](const Route& route) {
    return matches(route.pattern, topic) && may_go(tenants, route.destination, tenant_id);
  });
}

bool wants(const Filter& filter, std::string_view topic, std::string_view tenant_id, std::string_view dispatch_key,
           int priority) {
  if (filter.scope && !contains(*filter.scope, tenant_id, dispatch_key, priority)) return false;
  const auto is_carried_elsewhere = [&](const Route& route) {
    return std::ranges::any_of(filter.elsewhere, [&](const Scope& scope) {
      return scope.destination == route.destination && contains(scope, tenant_id, dispatch_key, priority);
    });
  };
  bool leads_anywhere = false;
  for (const Route& route : filter.routes) {
    if (filter.scope && route.destination != filter.scope->destination) continue;
    if (!matches(route.pattern, topic) || !may_go(filter.tenants, route.destination, tenant_id)) continue;
    leads_anywhere = true;
    if (!is_carried_elsewhere(route)) return true;
  }
  return !leads_anywhere && !filter.scope;
}

}  // namespace makegood
