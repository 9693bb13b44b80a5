// makegood saga list|journal: which executions there are, and what happened to one.
#include <fmt/format.h>

#include <memory>

#include "cli/age.hpp"
#include "cli/json_view.hpp"
#include "cli/print.hpp"
#include "cli/saga_flags.hpp"
#include "config/mistake.hpp"

namespace makegood::cli {
namespace {

struct SagaListing {
  std::string state = {};
  std::string definition = {};
  std::string tenant = {};
  std::string id = {};
  std::string from = {};
  std::string until = {};
  std::string cursor = {};
  std::size_t limit = 100;
};

struct JournalListing {
  SagaName name = {};
  std::string cursor = {};
  std::size_t limit = 1000;
};

std::string failure_cell(const Json& item) {
  const Json& failure = object_at(item, "failure");
  const std::string code = text_at(failure, "code");
  const std::string error = text_at(failure, "error");
  return code.empty() && error.empty() ? "-" : code + (code.empty() || error.empty() ? "" : ": ") + error;
}

void print_more(const Json& answer) {
  if (const std::string next = text_at(answer, "next"); !next.empty()) {
    fmt::print("There are more; go on with --cursor {}.\n", config::printable(next));
  }
}

void print_sagas(const Json& answer) {
  const TimePoint now = system_clock().now();
  std::vector<Row> rows;
  for (const Json& item : array_at(answer, "items").GetArray()) {
    rows.push_back({cell(item, "executionId"), cell(item, "tenantId"), cell(item, "chainName"), cell(item, "state"),
                    cell(item, "waitsFor"), ago_cell(item, "startedAt", now), cell(object_at(item, "failure"), "step"),
                    failure_cell(item)});
  }
  print_table({"EXECUTION", "TENANT", "SAGA", "STATE", "WAITS FOR", "BEGAN", "STEP", "ERROR"}, rows);
  print_more(answer);
  print_purged(answer);
}

Result<> list_executions(const Program& program, const SagaListing& listing) {
  const auto client = MAKEGOOD_TRY(Client::open(program));
  const TimePoint now = system_clock().now();
  Query query;
  query.add("state", listing.state).add("definition", listing.definition).add("tenant", listing.tenant);
  query.add("id", listing.id).add("from", MAKEGOOD_TRY(moment_argument(listing.from, now)));
  query.add("until", MAKEGOOD_TRY(moment_argument(listing.until, now)));
  query.add("limit", fmt::format("{}", listing.limit)).add("cursor", listing.cursor);
  const std::string answer = MAKEGOOD_TRY(client->get("/api/saga/executions", query.text()));
  if (program.as_json) {
    fmt::print("{}\n", answer);
    return {};
  }
  print_sagas(MAKEGOOD_TRY(parse_answer(answer)));
  return {};
}

/// Whose attempt, who asked, why, with what code: what a record has of these.
std::string record_details(const Json& record) {
  std::string text;
  const auto add = [&](std::string_view before, const std::string& part) {
    if (!part.empty()) text.append(text.empty() ? "" : ", ").append(before).append(part);
  };
  add("", text_at(record, "state"));
  add("", text_at(record, "code"));
  add("", text_at(record, "error"));
  add("by ", text_at(record, "operator"));
  add("because ", text_at(record, "reason"));
  if (number_at(record, "request") > 0) add("request ", cell(record, "request"));
  return text;
}

void print_records(const Json& answer) {
  std::vector<Row> rows;
  for (const Json& record : array_at(answer, "items").GetArray()) {
    const bool is_attempt = number_at(record, "attempt") > 0;
    const std::string kind = text_at(record, "kind");
    const bool has_outcome = kind == "answered" || kind == "decided" || kind == "resolved";
    rows.push_back({cell(record, "revision"), cell(record, "at"), kind, cell(record, "step"),
                    is_attempt ? fmt::format("{} {}.{}", text_at(record, "direction"), number_at(record, "round"),
                                             number_at(record, "attempt"))
                               : "-",
                    has_outcome ? cell(record, "outcome") : "-", record_details(record)});
  }
  print_table({"REVISION", "AT", "KIND", "STEP", "ATTEMPT", "OUTCOME", "DETAILS"}, rows);
  print_more(answer);
}

Result<> show_saga_journal(const Program& program, const JournalListing& listing) {
  const auto client = MAKEGOOD_TRY(Client::open(program));
  Query query = execution_query(listing.name);
  query.add("limit", fmt::format("{}", listing.limit)).add("cursor", listing.cursor);
  const std::string answer = MAKEGOOD_TRY(client->get(execution_path(listing.name, "/journal"), query.text()));
  if (program.as_json) {
    fmt::print("{}\n", answer);
    return {};
  }
  print_records(MAKEGOOD_TRY(parse_answer(answer)));
  return {};
}

template <class Listing>
void add_page_flags(CLI::App& verb, Listing& listing) {
  verb.add_option("--limit", listing.limit, fmt::format("At most so many, default {}", listing.limit))
      ->type_name("ROWS")
      ->check(CLI::Range(1, 1000));
  verb.add_option("--cursor", listing.cursor, "Go on where a list ended")->type_name("CURSOR");
}

}  // namespace

void add_saga_list(CLI::App& saga, Program& program) {
  CLI::App& verb = *saga.add_subcommand("list", "List executions, the newest first");
  add_call_flags(verb, program);
  const auto listing = std::make_shared<SagaListing>();
  verb.add_option("--state", listing->state, "Only executions in this state, as in failed, manual or waiting")
      ->type_name("STATE");
  verb.add_option("--definition", listing->definition, "Only executions of this saga")->type_name("NAME");
  verb.add_option("--tenant", listing->tenant, "Only this tenant")->type_name("TENANT");
  verb.add_option("--id", listing->id, "Only ids that begin so")->type_name("PREFIX");
  verb.add_option("--from", listing->from, "Begun at this moment or later; a time, or how long ago: 2h")
      ->type_name("TIME");
  verb.add_option("--until", listing->until, "Begun before this moment")->type_name("TIME");
  add_page_flags(verb, *listing);
  run(verb, program, [&program, listing] { return list_executions(program, *listing); });
}

void add_saga_journal(CLI::App& saga, Program& program) {
  CLI::App& verb = *saga.add_subcommand("journal", "Show everything that happened to an execution, the oldest first");
  const auto listing = std::make_shared<JournalListing>();
  add_saga_flags(verb, program, listing->name);
  add_page_flags(verb, *listing);
  run(verb, program, [&program, listing] { return show_saga_journal(program, *listing); });
}

}  // namespace makegood::cli
