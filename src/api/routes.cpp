// Routes: where topics lead.
#include <fmt/format.h>

#include <algorithm>

#include "api/fields.hpp"
#include "api/handlers.hpp"
#include "api/json_out.hpp"
#include "api/registry_of.hpp"
#include "api/route_documents.hpp"

namespace makegood::api {

std::optional<std::vector<Route>> routes_in(Fields& body, Mistakes& mistakes) {
  const JsonValue* list = body.array("routes");
  if (list == nullptr) return std::nullopt;
  const auto elements = read_array(list->source);
  std::vector<Route> routes;
  if (!elements || elements->size() > registered_max) {
    body.mistake("routes", fmt::format("has too many; allowed: {}", registered_max));
    return routes;
  }
  for (std::size_t i = 0; i < elements->size(); ++i) {
    Fields route = Fields::of_object((*elements)[i].source, mistakes, fmt::format("routes[{}].", i));
    Route read{.pattern = route.text("pattern", {.is_required = true}),
               .destination = route.text("destination", {.is_required = true})};
    route.refuse_the_rest();
    if (std::ranges::find(routes, read) == routes.end()) routes.push_back(std::move(read));
  }
  return routes;
}

std::vector<Route> without(const std::vector<Route>& routes, const std::vector<Route>& others) {
  std::vector<Route> rest;
  std::ranges::copy_if(routes, std::back_inserter(rest),
                       [&](const Route& route) { return std::ranges::find(others, route) == others.end(); });
  return rest;
}

Result<Answer> show_routes(const Question& question) {
  DeadLetterStore& letters = *MAKEGOOD_TRY(question.desk.letters(question.outbox()));
  const Routing routing = newest_routing(MAKEGOOD_TRY(letters.lane()));
  return object_answer(200, [&](Writer& writer) {
    put(writer, "version", routing.version);
    put(writer, "from_sequence", routing.version == 0 ? 0 : routing.from + 1);
    put_array(writer, "routes", routing.routes, [](Writer& to, const Route& route) {
      to.StartObject();
      put(to, "pattern", route.pattern);
      put(to, "destination", route.destination);
      to.EndObject();
    });
  });
}

Result<Answer> put_routes(const Question& question) {
  Mistakes mistakes;
  Fields body = Fields::of_object(question.call.body, mistakes);
  body.require("routes");
  const auto wanted = routes_in(body, mistakes);
  std::string reason = body.text("reason", reason_rule);
  body.refuse_the_rest();
  if (!mistakes.empty()) return mistakes.as_error("The body");

  DeadLetterStore& letters = *MAKEGOOD_TRY(question.desk.letters(question.outbox()));
  const Routing routing = newest_routing(MAKEGOOD_TRY(letters.lane()));
  const RoutingChange change{.routes = without(*wanted, routing.routes),
                             .removed_routes = without(routing.routes, *wanted)};
  auto request = MAKEGOOD_TRY(change_request(routing, change, std::move(reason)));
  if (!request) return nothing_to_do();
  return ask_and_tell(question, *std::move(request));
}

}  // namespace makegood::api
