// makegood saga stats: how many executions ended in which way, and how long they took.
#include <fmt/format.h>

#include <chrono>
#include <memory>

#include "cli/age.hpp"
#include "cli/json_view.hpp"
#include "cli/print.hpp"
#include "cli/saga_flags.hpp"

namespace makegood::cli {
namespace {

struct StatsFlags {
  std::string tenant = {};
  std::string definition = {};
  std::string from = "24h";
  std::string until = {};
  std::size_t limit = 100;
};

constexpr std::int64_t second_ms = 1000;
constexpr std::int64_t minute_ms = 60 * second_ms;

std::string time_cell(const Json& row, const char* name) {
  if (cell(row, name) == "-") return "-";
  const std::int64_t time = number_at(row, name);
  if (time < second_ms) return fmt::format("{} ms", time);
  if (time < minute_ms) return fmt::format("{:.1f} s", static_cast<double>(time) / second_ms);
  return fmt::format("{:.1f} min", static_cast<double>(time) / minute_ms);
}

void print_stats(const Json& answer) {
  std::vector<Row> rows;
  for (const Json& row : array_at(answer, "items").GetArray()) {
    rows.push_back({cell(row, "chainName"), cell(row, "version"), cell(row, "tenantId"), cell(row, "ended"),
                    cell(row, "completed"), cell(row, "compensated"), cell(row, "failed"), cell(row, "cancelled"),
                    cell(row, "running"), time_cell(row, "medianMs"), time_cell(row, "p99Ms")});
  }
  if (rows.empty()) {
    fmt::print("No execution was begun in this time.\n");
  } else {
    print_table({"SAGA", "VERSION", "TENANT", "ENDED", "COMPLETED", "COMPENSATED", "FAILED", "CANCELLED", "RUNNING NOW",
                 "MEDIAN", "P99"},
                rows);
  }
  if (!flag_at(answer, "isComplete")) fmt::print("This is not all: take a higher --limit, or ask again in a minute.\n");
  print_purged(answer);
}

Result<> show_stats(const Program& program, const StatsFlags& flags) {
  const auto client = MAKEGOOD_TRY(Client::open(program));
  const TimePoint now = system_clock().now();
  Query query;
  query.add("tenant", flags.tenant).add("definition", flags.definition);
  query.add("from", MAKEGOOD_TRY(moment_argument(flags.from, now)));
  query.add("until", MAKEGOOD_TRY(moment_argument(flags.until, now)));
  query.add("limit", fmt::format("{}", flags.limit));
  const std::string answer = MAKEGOOD_TRY(client->get("/api/saga/statistics", query.text()));
  if (program.as_json) {
    fmt::print("{}\n", answer);
    return {};
  }
  print_stats(MAKEGOOD_TRY(parse_answer(answer)));
  return {};
}

}  // namespace

void add_saga_stats(CLI::App& saga, Program& program) {
  CLI::App& verb = *saga.add_subcommand("stats", "How many executions ended in which way, and how long they took");
  add_call_flags(verb, program);
  const auto flags = std::make_shared<StatsFlags>();
  verb.add_option("--definition", flags->definition, "Only executions of this saga")->type_name("NAME");
  verb.add_option("--tenant", flags->tenant, "Only this tenant")->type_name("TENANT");
  verb.add_option("--from", flags->from, "Begun at this moment or later; a time, or how long ago: 2h; default 24h")
      ->type_name("TIME");
  verb.add_option("--until", flags->until, "Begun before this moment")->type_name("TIME");
  verb.add_option("--limit", flags->limit, "At most so many rows, default 100")
      ->type_name("ROWS")
      ->check(CLI::Range(1, 1000));
  verb.footer(
      "Hours (UTC) are not divided. MEDIAN and P99 are of those that completed, to a tenth. Executions that are "
      "kept no longer are counted too.");
  run(verb, program, [&program, flags] { return show_stats(program, *flags); });
}

}  // namespace makegood::cli
