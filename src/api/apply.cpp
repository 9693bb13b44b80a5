// Destinations and routes made what they should be, in one request.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "api/destination_document.hpp"
#include "api/difference.hpp"
#include "api/operation.hpp"
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

std::optional<std::vector<Destination>> destinations_in(Fields& body, const DestinationRules& rules) {
  std::vector<Destination> destinations;
  std::set<std::string> names;
  const auto read = [&](Fields& document) {
    auto destination = destination_from(document, {}, rules);
    if (!destination) return;
    if (!names.insert(destination->name).second) {
      document.mistake("name", fmt::format("is {}, as another has it", destination->name));
    }
    destinations.push_back(*std::move(destination));
  };
  const bool are_there = body.objects("destinations", "DestinationDocument", {0, registered_max}, read);
  return are_there ? std::optional(std::move(destinations)) : std::nullopt;
}

Wish wish_in(Fields& body, DestinationRules rules, const Routing& routing) {
  if (!body.flag("replace", "What a destination leaves out gets its default.")) rules.present = &routing;
  return {.destinations = destinations_in(body, rules),
          .routes = routes_in(body),
          .prune = body.flag("prune"),
          .is_dry = body.flag("dry_run"),
          .reason = reason_in(body)};
}
void describe_wish(Fields& body) { wish_in(body, {}, {}); }

Result<Wish> wish_of(const Call& call, const DestinationRules& rules, const Routing& routing) {
  Mistakes mistakes;
  return read_all("The document", Fields::of_object(call.body, mistakes), mistakes,
                  [&](Fields& body) { return wish_in(body, rules, routing); });
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

struct Difference {
  std::vector<Change> changes = {};
  bool is_applied = false;
  std::optional<std::int64_t> request = {};
};
void put_difference(Writer& writer, const Difference& difference) {
  put_objects(writer, "changes", "Change", difference.changes, put_change);
  put(writer, "is_applied", difference.is_applied, "Everything is now as it was wanted.");
  put(writer, "request", difference.request, "Null: nothing was asked for.");
}

Result<Answer> apply_document(const RoutedCall& routed) {
  OutboxView& view = *MAKEGOOD_TRY(routed.connections.view(routed.outbox()));
  const Routing routing = newest_routing(MAKEGOOD_TRY(view.lane()));
  const Wish wish = MAKEGOOD_TRY(wish_of(routed.call, routed.connections.destination_rules(), routing));
  const RoutingChange change = change_for(wish, routing);
  Difference told{.changes = difference(routing, MAKEGOOD_TRY(apply(routing, change)))};
  auto request = MAKEGOOD_TRY(change_request(routing, change, wish.reason));
  told.is_applied = !request;
  if (!request || wish.is_dry) return answer_of(told, put_difference);
  const Asked asked = MAKEGOOD_TRY(ask(routed, *std::move(request)));
  told.is_applied = asked.is_done;
  told.request = asked.request;
  return answer_of(told, put_difference, asked.is_done ? 200 : 202);
}

constexpr auto about_apply = std::to_array<Operation>({
    {.id = "apply",
     .method = "POST",
     .path = "/api/outboxes/{outbox}/apply",
     .role = Role::operate,
     .handler = apply_document,
     .tag = "destinations",
     .summary = "Make destinations and routes what they should be",
     .description =
         R"(Answers the difference, field by field. With `dry_run` that is all. Without `prune` nothing is removed;
with it, a list that is left out is left alone. A destination that is there is changed, as by `PUT`; with
`replace` each document is the whole destination.
)",
     .body = {"Wanted", describe_wish},
     .replies = {Reply{200, "Carried out, or nothing to do, or a dry run; `is_applied` tells.", "Difference",
                       writes<put_difference>},
                 Reply{202, "Asked for, and not carried out yet.", "Difference", writes<put_difference>}},
     .also = {409, 507}},
});

}  // namespace

Operations apply_operations() { return about_apply; }

}  // namespace makegood::api
