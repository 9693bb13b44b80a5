// What an operator asks for: a change of destinations and routes, and what is in force after it.
#include <algorithm>
#include <utility>

#include "base/routing_json.hpp"
#include "makegood/spi/routing.hpp"
#include "makegood/spi/store.hpp"

namespace makegood {
namespace {

template <class Thing, class Write>
void write_list(json::Writer& writer, const char* name, const std::vector<Thing>& things, Write write) {
  writer.Key(name);
  writer.StartArray();
  for (const Thing& thing : things) write(writer, thing);
  writer.EndArray();
}

/// Empty when it is missing.
template <class Thing>
Result<std::vector<Thing>> list_in(const json::Value& object, const char* name,
                                   Result<Thing> (*read)(const json::Value&)) {
  std::vector<Thing> things;
  if (json::member(object, name) == nullptr) return things;
  const json::Value* list = MAKEGOOD_TRY(json::array_in(object, name));
  for (const auto& value : list->GetArray()) things.push_back(MAKEGOOD_TRY(read(value)));
  return things;
}

Result<std::string> name_from(const json::Value& value) {
  if (!value.IsString() || value.GetStringLength() == 0) return json::damage("the name of a removed destination");
  return json::text_of(value);
}

Result<RoutingChange> change_from(std::string_view text) {
  const rapidjson::Document document = MAKEGOOD_TRY(json::parse_object(text));
  return RoutingChange{
      .destinations = MAKEGOOD_TRY(list_in(document, "destinations", json::destination_from)),
      .removed_destinations = MAKEGOOD_TRY(list_in(document, "removed_destinations", name_from)),
      .routes = MAKEGOOD_TRY(list_in(document, "routes", json::route_from)),
      .removed_routes = MAKEGOOD_TRY(list_in(document, "removed_routes", json::route_from)),
  };
}

void remove_destination(Routing& routing, std::string_view name) {
  std::erase_if(routing.destinations, [&](const Destination& destination) { return destination.name == name; });
  std::erase_if(routing.routes, [&](const Route& route) { return route.destination == name; });
}

Result<> put_destination(Routing& routing, const Destination& destination) {
  if (!is_destination_name(destination.name) || destination.name == unrouted) {
    return Error{Errc::invalid, "'" + destination.name +
                                    "' cannot be the name of a destination: it has letters, digits and _.:-/, the "
                                    "transport first, as in http:billing."};
  }
  const auto known = std::ranges::find(routing.destinations, destination.name, &Destination::name);
  if (known != routing.destinations.end()) {
    *known = destination;
  } else {
    routing.destinations.push_back(destination);
  }
  return {};
}

Result<> add_route(Routing& routing, const Route& route) {
  const auto& known = routing.destinations;
  if (std::ranges::find(known, route.destination, &Destination::name) == known.end()) {
    return Error{Errc::invalid, "The route from '" + route.pattern + "' leads to " + route.destination +
                                    ", which is not registered; add that destination first."};
  }
  if (std::ranges::find(routing.routes, route) == routing.routes.end()) routing.routes.push_back(route);
  return {};
}

}  // namespace

std::string encode(const RoutingChange& change) {
  rapidjson::StringBuffer text;
  json::Writer writer(text);
  writer.StartObject();
  write_list(writer, "destinations", change.destinations, json::write_destination);
  write_list(writer, "removed_destinations", change.removed_destinations, json::write_text);
  write_list(writer, "routes", change.routes, json::write_route);
  write_list(writer, "removed_routes", change.removed_routes, json::write_route);
  writer.EndObject();
  return {text.GetString(), text.GetSize()};
}

Result<RoutingChange> decode_routing_change(std::string_view json) {
  auto change = change_from(json);
  if (!change) change.error().message = "A change of destinations and routes cannot be read; ask for it again.";
  return change;
}

Result<Routing> apply(Routing routing, const RoutingChange& change) {
  for (const Route& route : change.removed_routes) std::erase(routing.routes, route);
  for (const std::string& name : change.removed_destinations) remove_destination(routing, name);
  for (const Destination& destination : change.destinations) {
    if (const auto put = put_destination(routing, destination); !put) return put.error();
  }
  for (const Route& route : change.routes) {
    if (const auto added = add_route(routing, route); !added) return added.error();
  }
  return routing;
}

}  // namespace makegood
