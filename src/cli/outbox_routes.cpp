// makegood outbox routes: where topics led, by version.
#include <fmt/format.h>

#include <memory>

#include "cli/outbox.hpp"
#include "cli/print.hpp"
#include "cli/verbs.hpp"

namespace makegood::cli {
namespace {

/// A version counts for the numbers above `from`.
Sequence first_of(const Routing& routing) { return routing.from + 1; }

std::string to_json(const Routing& routing) {
  std::vector<std::string> routes;
  routes.reserve(routing.routes.size());
  for (const Route& route : routing.routes) {
    routes.push_back(
        json_object({{"pattern", json_text(route.pattern)}, {"destination", json_text(route.destination)}}));
  }
  std::vector<std::string> destinations;
  destinations.reserve(routing.destinations.size());
  for (const Destination& destination : routing.destinations) destinations.push_back(json_text(destination.name));
  return json_object({{"version", fmt::format("{}", routing.version)},
                      {"first_sequence", fmt::format("{}", first_of(routing))},
                      {"routes", json_array(routes)},
                      {"destinations", json_array(destinations)}});
}

void add_rows(std::vector<Row>& rows, const Routing& routing) {
  const std::string version = fmt::format("{}", routing.version);
  const std::string first = fmt::format("{}", first_of(routing));
  if (routing.routes.empty()) rows.push_back({version, first, "(none)", std::string(unrouted)});
  for (const Route& route : routing.routes) rows.push_back({version, first, route.pattern, route.destination});
}

Result<> show_routes(const Program& program, bool as_json) {
  const auto letters = MAKEGOOD_TRY(open_letters(program));
  const LaneView lane = MAKEGOOD_TRY(letters->lane());
  std::vector<std::string> objects;
  std::vector<Row> rows;
  for (const Routing& routing : lane.routings) {
    objects.push_back(to_json(routing));
    add_rows(rows, routing);
  }
  if (as_json) {
    fmt::print("{}\n", json_array(objects));
  } else {
    print_table({"VERSION", "FROM", "PATTERN", "DESTINATION"}, rows);
  }
  return {};
}

}  // namespace

void add_outbox_routes(CLI::App& outbox, Program& program) {
  CLI::App& verb = *outbox.add_subcommand("routes", "Show where topics lead, and since which message");
  add_outbox_flags(verb, program);
  const auto as_json = std::make_shared<bool>(false);
  verb.add_flag("--json", *as_json, "For programs");
  verb.footer("A message goes by the newest version whose FROM is not above its number, whenever it is read.");
  run(verb, program, [&program, as_json] { return show_routes(program, *as_json); });
}

}  // namespace makegood::cli
