// makegood saga failures: what has failed, grouped by step and code.
#include <fmt/format.h>

#include <memory>

#include "cli/age.hpp"
#include "cli/json_view.hpp"
#include "cli/print.hpp"
#include "cli/saga_flags.hpp"

namespace makegood::cli {
namespace {

struct FailureListing {
  std::string tenant = {};
  std::string definition = {};
  std::size_t limit = 100;
};

void print_failures(const Json& answer) {
  const TimePoint now = system_clock().now();
  std::vector<Row> rows;
  for (const Json& item : array_at(answer, "items").GetArray()) {
    rows.push_back({cell(item, "chainName"), cell(item, "step"), cell(item, "code"), cell(item, "state"),
                    cell(item, "count"), ago_cell(item, "since", now), ago_cell(item, "until", now),
                    cell(item, "example")});
  }
  if (rows.empty()) return fmt::print("Nothing has failed.\n");
  print_table({"SAGA", "STEP", "CODE", "STATE", "COUNT", "OLDEST", "NEWEST", "EXAMPLE"}, rows);
}

Result<> list_saga_failures(const Program& program, const FailureListing& listing) {
  const auto client = MAKEGOOD_TRY(Client::open(program));
  Query query;
  query.add("tenant", listing.tenant).add("definition", listing.definition);
  query.add("limit", fmt::format("{}", listing.limit));
  const std::string answer = MAKEGOOD_TRY(client->get("/api/saga/failures", query.text()));
  if (program.as_json) {
    fmt::print("{}\n", answer);
    return {};
  }
  print_failures(MAKEGOOD_TRY(parse_answer(answer)));
  return {};
}

}  // namespace

void add_saga_failures(CLI::App& saga, Program& program) {
  CLI::App& verb = *saga.add_subcommand("failures", "What has failed, by step and code: how many, since when");
  add_call_flags(verb, program);
  const auto listing = std::make_shared<FailureListing>();
  verb.add_option("--definition", listing->definition, "Only executions of this saga")->type_name("NAME");
  verb.add_option("--tenant", listing->tenant, "Only this tenant")->type_name("TENANT");
  verb.add_option("--limit", listing->limit, "At most so many groups, default 100")
      ->type_name("ROWS")
      ->check(CLI::Range(1, 1000));
  verb.footer(
      "What was undone because of a failure counts too, as compensated. 'makegood saga show EXAMPLE' tells more.");
  run(verb, program, [&program, listing] { return list_saga_failures(program, *listing); });
}

}  // namespace makegood::cli
