// makegood outbox pause|resume|history|cancel: requests about all that goes to a destination, or to a tenant at it.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "cli/outbox.hpp"
#include "cli/verbs.hpp"
#include "config/mistake.hpp"
#include "config/nearest.hpp"

namespace makegood::cli {
namespace {

constexpr RequestVerb pause{RequestKind::pause, "pause", "Send nothing more to a destination, or for one tenant at it",
                            "stops sending there; what comes meanwhile waits in a side lane and costs no attempts"};
constexpr RequestVerb resume{RequestKind::resume, "resume", "Send again to what was paused, in order",
                             "sends again, beginning where it was paused"};
constexpr RequestVerb history{RequestKind::history, "history",
                              "Deliver again what was delivered, or backfill a new destination",
                              "begins to deliver again; 'makegood outbox lanes' shows how far it is"};
constexpr RequestVerb cancel{RequestKind::cancel, "cancel", "End a replay of history before it is through",
                             "ends the replay; what is being sent at that moment still is"};

/// Every destination that a kept version of the routes names, or that has a side lane.
std::vector<std::string> destinations_of(const LaneView& lane) {
  std::vector<std::string> names;
  for (const Routing& routing : lane.routings) {
    for (const Destination& destination : routing.destinations) names.push_back(destination.name);
    for (const Route& route : routing.routes) names.push_back(route.destination);
  }
  for (const SideLane& side : lane.position.sides) names.push_back(side.scope.destination);
  std::ranges::sort(names);
  const auto doubled = std::ranges::unique(names);
  names.erase(doubled.begin(), doubled.end());
  return names;
}

/// Before any relay has run nobody knows the destinations; then the owner will answer.
Result<> check_destination(const LaneView& lane, const std::string& name) {
  const std::vector<std::string> known = destinations_of(lane);
  if (known.empty() || std::ranges::find(known, name) != known.end()) return {};
  const std::string meant = config::nearest(name, known, ':');
  const std::string hint =
      meant.empty() ? fmt::format("There are: {}.", fmt::join(known, ", ")) : fmt::format("Is it {}?", meant);
  return Error{Errc::not_found,
               fmt::format("No route has ever led to '{}'. {}", config::printable(name), config::printable(hint))};
}

Result<> check_range(const NewRequest& asked) {
  if (asked.until == 0 || asked.until >= asked.sequence) return {};
  return Error{Errc::invalid, fmt::format("There is nothing from {} until {}; --until names the last message.",
                                          asked.sequence, asked.until)};
}

Result<> ask_about(const Program& program, const RequestVerb& verb, const NewRequest& asked) {
  MAKEGOOD_TRY(check_range(asked));
  const auto letters = MAKEGOOD_TRY(open_letters(program));
  const LaneView lane = MAKEGOOD_TRY(letters->lane());
  MAKEGOOD_TRY(check_destination(lane, asked.destination));
  return record(*letters, verb, asked);
}

void add_range(CLI::App& verb, NewRequest& asked) {
  verb.add_option("--from", asked.sequence, "The first message; default: the oldest that is kept")
      ->type_name("SEQUENCE")
      ->check(CLI::PositiveNumber);
  verb.add_option("--until", asked.until, "The last message; default: all up to now, or to its first own message")
      ->type_name("SEQUENCE")
      ->check(CLI::PositiveNumber);
}

CLI::App& add_scope_request(CLI::App& outbox, Program& program, const RequestVerb& request) {
  CLI::App& verb = *outbox.add_subcommand(request.name, request.description);
  add_outbox_flags(verb, program);
  const auto asked = std::make_shared<NewRequest>();
  asked->kind = request.kind;
  verb.add_option("destination", asked->destination, "The destination, as 'outbox routes' lists it")
      ->required()
      ->type_name("DESTINATION");
  verb.add_option("--tenant", asked->tenant_id, "Only this tenant's messages")->type_name("TENANT");
  if (request.kind == RequestKind::history) add_range(verb, *asked);
  add_request_flags(verb, *asked);
  run(verb, program, [&program, &request, asked] { return ask_about(program, request, *asked); });
  return verb;
}

}  // namespace

void add_outbox_scopes(CLI::App& outbox, Program& program) {
  add_scope_request(outbox, program, pause);
  add_scope_request(outbox, program, resume);
  add_scope_request(outbox, program, history)
      .footer(
          "Every message of the range is sent once more, beside normal traffic, with the same event_id.\n"
          "This is also the backfill of a new destination: without --until it gets what came before its first route.");
  add_scope_request(outbox, program, cancel);
}

}  // namespace makegood::cli
