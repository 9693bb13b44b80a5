// makegood dead groups|list|show: what could not be delivered.
#include <fmt/format.h>

#include <memory>

#include "cli/age.hpp"
#include "cli/client.hpp"
#include "cli/dead_flags.hpp"
#include "cli/json_view.hpp"
#include "cli/print.hpp"
#include "cli/story.hpp"
#include "cli/verbs.hpp"
#include "config/mistake.hpp"

namespace makegood::cli {
namespace {

struct DeadList {
  DeadFlags flags = {};
  std::string kind = {};
  std::size_t limit = 100;
  std::string cursor = {};
};

struct DeadOne {
  std::int64_t sequence = 0;
  std::string destination = {};
};

void print_groups(const Json& answer) {
  const TimePoint now = system_clock().now();
  std::vector<Row> rows;
  for (const Json& group : array_at(answer, "items").GetArray()) {
    rows.push_back({cell(group, "count"), cell(group, "topic"), cell(group, "destination"), cell(group, "error_code"),
                    ago_cell(group, "first_at", now), ago_cell(group, "last_at", now), cell(group, "example"),
                    cell(group, "example_error")});
  }
  print_table({"COUNT", "TOPIC", "DESTINATION", "CODE", "FIRST", "LAST", "EXAMPLE", "ITS ERROR"}, rows);
}

void print_letters(const Json& answer) {
  const TimePoint now = system_clock().now();
  std::vector<Row> rows;
  for (const Json& letter : array_at(answer, "items").GetArray()) {
    rows.push_back({cell(letter, "sequence"), cell(letter, "destination"), cell(letter, "state"),
                    cell(letter, "tenant_id"), cell(letter, "topic"), cell(letter, "attempts"),
                    cell(letter, "error_code"), ago_cell(letter, "changed_at", now), cell(letter, "last_error")});
  }
  print_table({"SEQUENCE", "DESTINATION", "STATE", "TENANT", "TOPIC", "ATTEMPTS", "CODE", "SINCE", "LAST ERROR"}, rows);
  if (const std::string next = text_at(answer, "next"); !next.empty()) {
    fmt::print("There are more; go on with --cursor '{}'.\n", config::printable(next));
  }
}

Result<> list_dead(const Program& program, const DeadList& list, const char* path, void (*print_answer)(const Json&)) {
  const auto client = MAKEGOOD_TRY(Client::open(program));
  Query query = MAKEGOOD_TRY(query_of(list.flags));
  query.add("limit", fmt::format("{}", list.limit)).add("cursor", list.cursor);
  const std::string answer = MAKEGOOD_TRY(client->get_of_outbox(path, query.text()));
  if (program.as_json) {
    fmt::print("{}\n", answer);
    return {};
  }
  print_answer(MAKEGOOD_TRY(parse_answer(answer)));
  return {};
}

void print_dead_sagas(const Json& answer) {
  const TimePoint now = system_clock().now();
  std::vector<Row> rows;
  for (const Json& item : array_at(answer, "items").GetArray()) {
    const Json& failure = object_at(item, "failure");
    rows.push_back({cell(item, "executionId"), cell(item, "chainName"), cell(item, "tenantId"), cell(failure, "step"),
                    cell(failure, "code"), ago_cell(item, "startedAt", now), cell(failure, "error")});
  }
  print_table({"EXECUTION", "SAGA", "TENANT", "STEP", "CODE", "BEGAN", "ERROR"}, rows);
  if (const std::string next = text_at(answer, "next"); !next.empty()) {
    fmt::print("There are more; go on with --kind saga --cursor '{}'.\n", config::printable(next));
  }
}

Result<std::string> dead_sagas(Client& client, const DeadList& list) {
  const TimePoint now = system_clock().now();
  Query query;
  query.add("tenant", list.flags.tenant).add("definition", list.flags.topic);
  query.add("from", MAKEGOOD_TRY(moment_argument(list.flags.from, now)))
      .add("until", MAKEGOOD_TRY(moment_argument(list.flags.until, now)))
      .add("limit", fmt::format("{}", list.limit))
      .add("cursor", list.cursor);
  return client.get("/api/saga/dead", query.text());
}

Result<> list_sagas_only(const Program& program, const DeadList& list) {
  const auto client = MAKEGOOD_TRY(Client::open(program));
  const std::string answer = MAKEGOOD_TRY(dead_sagas(*client, list));
  if (program.as_json) {
    fmt::print("{}\n", answer);
    return {};
  }
  print_dead_sagas(MAKEGOOD_TRY(parse_answer(answer)));
  return {};
}

/// Programs get one kind; people see failed executions below the deliveries, where there are any.
Result<> list_both(const Program& program, const DeadList& list) {
  if (list.kind == "saga") return list_sagas_only(program, list);
  MAKEGOOD_TRY(list_dead(program, list, "/dead", &print_letters));
  const bool is_narrowed = !list.flags.destination.empty() || !list.flags.code.empty() || !list.flags.state.empty();
  if (program.as_json || !list.kind.empty() || !list.cursor.empty() || is_narrowed) return {};
  const auto client = MAKEGOOD_TRY(Client::open(program));
  const auto answer = dead_sagas(*client, list);
  if (!answer) return {};  // A store without sagas.
  const auto sagas = MAKEGOOD_TRY(parse_answer(*answer));
  if (array_at(sagas, "items").Empty()) return {};
  fmt::print("\n");
  print_dead_sagas(sagas);
  return {};
}

void print_dead(const Json& letter) {
  const TimePoint now = system_clock().now();
  fmt::print("Message {} is {} at {}, {}.\n", number_at(letter, "sequence"), text_at(letter, "state"),
             config::printable(text_at(letter, "destination")), ago_cell(letter, "changed_at", now));
  print_field("error", fmt::format("{} {}", cell(letter, "error_code"), cell(letter, "last_error")));
  print_field("attempts", fmt::format("{}, {} of them answered", cell(letter, "attempts"), cell(letter, "answered")));
  print_field("topic", cell(letter, "topic"));
  print_field("tenant", cell(letter, "tenant_id"));
  print_field("key", cell(letter, "dispatch_key"));
  print_field("event", cell(letter, "event_id"));
  const Json& message = object_at(letter, "message");
  if (message.ObjectEmpty()) {
    print_field("content", "is kept no longer");
  } else {
    print_content(message);
  }
  fmt::print("\n");
  print_attempts(array_at(letter, "story"), now);
  print_requests(array_at(letter, "requests"), now);
}

Result<> show_dead(const Program& program, const DeadOne& one) {
  const auto client = MAKEGOOD_TRY(Client::open(program));
  const std::string path = fmt::format("/dead/{}/{}", one.sequence, percent_encoded(one.destination));
  const std::string answer = MAKEGOOD_TRY(client->get_of_outbox(path));
  if (program.as_json) {
    fmt::print("{}\n", answer);
    return {};
  }
  print_dead(MAKEGOOD_TRY(parse_answer(answer)));
  return {};
}

CLI::App& add_dead_list(CLI::App& dead, Program& program, const std::string& name, const std::string& description,
                        const std::shared_ptr<DeadList>& list) {
  CLI::App& verb = *dead.add_subcommand(name, description);
  add_call_flags(verb, program);
  add_dead_flags(verb, list->flags);
  add_dead_state_flag(verb, list->flags);
  verb.add_option("--limit", list->limit, "At most so many, default 100")
      ->type_name("ROWS")
      ->check(CLI::Range(1, 1000));
  return verb;
}

}  // namespace

void add_dead_lists(CLI::App& dead, Program& program) {
  const auto list = std::make_shared<DeadList>();
  CLI::App& groups =
      add_dead_list(dead, program, "groups", "By topic, destination and code: how many, since when, one example", list);
  run(groups, program, [&program, list] { return list_dead(program, *list, "/dead/groups", &print_groups); });

  CLI::App& verb = add_dead_list(dead, program, "list", "List dead and quarantined deliveries", list);
  verb.add_option("--cursor", list->cursor, "Go on where a list ended")->type_name("CURSOR");
  verb.add_option("--kind", list->kind,
                  "outbox: deliveries; saga: failed executions; default: deliveries, then executions")
      ->type_name("KIND")
      ->check(CLI::IsMember({"outbox", "saga"}).description(""));
  run(verb, program, [&program, list] { return list_both(program, *list); });
}

void add_dead_show(CLI::App& dead, Program& program) {
  CLI::App& verb = *dead.add_subcommand("show", "Show one with its message, its attempts and what was asked about it");
  add_call_flags(verb, program);
  const auto one = std::make_shared<DeadOne>();
  verb.add_option("sequence", one->sequence, "The number of the message")->required()->type_name("SEQUENCE");
  verb.add_option("destination", one->destination, "The destination, as 'dead list' has it")
      ->required()
      ->type_name("DESTINATION");
  run(verb, program, [&program, one] { return show_dead(program, *one); });
}

void add_dead(CLI::App& app, Program& program) {
  CLI::App& verb = *app.add_subcommand("dead", "Look at dead letters, replay them, set them aside");
  verb.require_subcommand(1);
  verb.footer(
      "A failed execution of a saga is a dead letter too: 'dead list --kind saga', then 'saga show', and to replay "
      "it\n'saga retry' (from where it failed) or 'saga compensate'.");
  add_dead_lists(verb, program);
  add_dead_show(verb, program);
  add_dead_replay(verb, program);
  add_dead_requests(verb, program);
}

}  // namespace makegood::cli
