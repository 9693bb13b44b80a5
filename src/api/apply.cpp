// Destinations and routes made what they should be, in one request.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "api/destination_document.hpp"
#include "api/difference.hpp"
#include "api/fields.hpp"
#include "api/handlers.hpp"
#include "api/registry_of.hpp"
#include "api/route_documents.hpp"

namespace makegood::api {
namespace {

/// A list that was left out is left alone.
struct Wish {
  std::optional<std::vector<Destination>> destinations = {};
  std::optional<std::vector<Route>> routes = {};
  bool prune = false;
  bool is_dry = false;
  std::string reason = {};
};

std::optional<std::vector<Destination>> destinations_in(Fields& body, const DestinationRules& rules,
                                                        Mistakes& mistakes) {
  const JsonValue* list = body.array("destinations");
  if (list == nullptr) return std::nullopt;
  const auto elements = read_array(list->source);
  std::vector<Destination> destinations;
  if (!elements || elements->size() > registered_max) {
    body.mistake("destinations", fmt::format("has too many; allowed: {}", registered_max));
    return destinations;
  }
  std::set<std::string> names;
  for (std::size_t i = 0; i < elements->size(); ++i) {
    const std::string prefix = fmt::format("destinations[{}].", i);
    auto destination = destination_from((*elements)[i].source, {}, rules, mistakes, prefix);
    if (!destination) continue;
    if (!names.insert(destination->name).second) {
      mistakes.add(prefix + "name", fmt::format("is {}, as another has it", destination->name));
    }
    destinations.push_back(*std::move(destination));
  }
  return destinations;
}

Result<Wish> wish_in(const Call& call, const DestinationRules& rules) {
  Mistakes mistakes;
  Fields body = Fields::of_object(call.body, mistakes);
  Wish wish{.destinations = destinations_in(body, rules, mistakes),
            .routes = routes_in(body, mistakes),
            .prune = body.flag("prune"),
            .is_dry = body.flag("dry_run"),
            .reason = body.text("reason", reason_rule)};
  body.refuse_the_rest();
  if (!mistakes.empty()) return mistakes.as_error("The document");
  return wish;
}

std::vector<std::string> unwanted(const Routing& routing, const std::vector<Destination>& wanted) {
  std::vector<std::string> names;
  for (const Destination& present : routing.destinations) {
    if (std::ranges::find(wanted, present.name, &Destination::name) == wanted.end()) names.push_back(present.name);
  }
  return names;
}

RoutingChange change_for(const Wish& wish, const Routing& routing) {
  RoutingChange change;
  for (const Destination& wanted : wish.destinations.value_or(std::vector<Destination>())) {
    const Destination* present = find_destination(routing, wanted.name);
    if (present == nullptr || !(*present == wanted)) change.destinations.push_back(wanted);
  }
  if (wish.routes) change.routes = without(*wish.routes, routing.routes);
  if (wish.prune && wish.routes) change.removed_routes = without(routing.routes, *wish.routes);
  if (wish.prune && wish.destinations) change.removed_destinations = unwanted(routing, *wish.destinations);
  return change;
}

Answer difference_answer(int status, const std::vector<Change>& changes, bool is_applied,
                         std::optional<std::int64_t> request) {
  return object_answer(status, [&](Writer& writer) {
    put_array(writer, "changes", changes, put_change);
    put(writer, "is_applied", is_applied);
    put(writer, "request", request);
  });
}

}  // namespace

Result<Answer> apply_document(const Question& question) {
  const Wish wish = MAKEGOOD_TRY(wish_in(question.call, question.desk.destination_rules()));
  DeadLetterStore& letters = *MAKEGOOD_TRY(question.desk.letters(question.outbox()));
  const Routing routing = newest_routing(MAKEGOOD_TRY(letters.lane()));
  const RoutingChange change = change_for(wish, routing);
  const std::vector<Change> changes = difference(routing, MAKEGOOD_TRY(apply(routing, change)));
  auto request = MAKEGOOD_TRY(change_request(routing, change, wish.reason));
  if (!request || wish.is_dry) return difference_answer(200, changes, !request, std::nullopt);
  const Asked asked = MAKEGOOD_TRY(ask(question, *std::move(request)));
  return difference_answer(asked.is_done ? 200 : 202, changes, asked.is_done, asked.request);
}

}  // namespace makegood::api
