// makegood outbox routes: where topics led, by version.
#include <fmt/format.h>

#include "cli/client.hpp"
#include "cli/json_view.hpp"
#include "cli/print.hpp"
#include "cli/verbs.hpp"
#include "makegood/spi/store.hpp"

namespace makegood::cli {
namespace {

void add_rows(std::vector<Row>& rows, const Json& version) {
  const std::string number = cell(version, "version");
  const std::string first = cell(version, "from_sequence");
  const Json& routes = array_at(version, "routes");
  if (routes.Empty()) rows.push_back({number, first, "(none)", std::string(unrouted)});
  for (const Json& route : routes.GetArray()) {
    rows.push_back({number, first, cell(route, "pattern"), cell(route, "destination")});
  }
}

Result<> show_routes(const Program& program) {
  const auto client = MAKEGOOD_TRY(Client::open(program));
  const std::string answer = MAKEGOOD_TRY(client->get_of_outbox("/routes/versions"));
  if (program.as_json) {
    fmt::print("{}\n", answer);
    return {};
  }
  const auto versions = MAKEGOOD_TRY(parse_answer(answer));
  std::vector<Row> rows;
  for (const Json& version : array_at(versions, "items").GetArray()) add_rows(rows, version);
  print_table({"VERSION", "FROM", "PATTERN", "DESTINATION"}, rows);
  return {};
}

}  // namespace

void add_outbox_routes(CLI::App& outbox, Program& program) {
  CLI::App& verb = *outbox.add_subcommand("routes", "Show where topics lead, and since which message");
  add_call_flags(verb, program);
  verb.footer("A message goes by the newest version whose FROM is not above its number, whenever it is read.");
  run(verb, program, [&program] { return show_routes(program); });
}

}  // namespace makegood::cli
