// makegood saga keys: which executions wait for a key, and which one holds it.
#include <fmt/format.h>

#include <memory>

#include "cli/age.hpp"
#include "cli/json_view.hpp"
#include "cli/print.hpp"
#include "cli/saga_flags.hpp"

namespace makegood::cli {
namespace {

struct KeyListing {
  std::string tenant = {};
  std::size_t limit = 100;
};

void print_blocked_keys(const Json& answer) {
  const TimePoint now = system_clock().now();
  std::vector<Row> rows;
  for (const Json& item : array_at(answer, "items").GetArray()) {
    rows.push_back({cell(item, "key"), cell(item, "tenantId"), cell(item, "holder"), cell(item, "state"),
                    cell(item, "waiting"), cell(item, "next"), ago_cell(item, "waitingSince", now)});
  }
  if (rows.empty()) return fmt::print("No execution waits for a key.\n");
  print_table({"KEY", "TENANT", "HELD BY", "STATE", "WAITING", "NEXT", "STARTED"}, rows);
}

Result<> list_blocked_keys(const Program& program, const KeyListing& listing) {
  const auto client = MAKEGOOD_TRY(Client::open(program));
  Query query;
  query.add("tenant", listing.tenant).add("limit", fmt::format("{}", listing.limit));
  const std::string answer = MAKEGOOD_TRY(client->get("/api/saga/keys", query.text()));
  if (program.as_json) {
    fmt::print("{}\n", answer);
    return {};
  }
  print_blocked_keys(MAKEGOOD_TRY(parse_answer(answer)));
  return {};
}

}  // namespace

void add_saga_keys(CLI::App& saga, Program& program) {
  CLI::App& verb = *saga.add_subcommand("keys", "List the keys that executions wait for, and who holds them");
  add_call_flags(verb, program);
  const auto listing = std::make_shared<KeyListing>();
  verb.add_option("--tenant", listing->tenant, "Only this tenant")->type_name("TENANT");
  verb.add_option("--limit", listing->limit, "At most so many, default 100")
      ->type_name("ROWS")
      ->check(CLI::Range(1, 1000));
  verb.footer(
      "One that has failed holds its key until somebody has settled what is open: 'makegood saga show' tells how.");
  run(verb, program, [&program, listing] { return list_blocked_keys(program, *listing); });
}

}  // namespace makegood::cli
