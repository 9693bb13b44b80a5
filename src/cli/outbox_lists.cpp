// makegood outbox dead|blocked: what has gone wrong, for people and for programs.
#include <fmt/format.h>

#include <memory>

#include "cli/outbox.hpp"
#include "cli/print.hpp"
#include "cli/verbs.hpp"

namespace makegood::cli {
namespace {

struct Wanted {
  std::string tenant;
  Sequence after = 0;
  std::size_t rows_max = 100;
  bool as_json = false;
};

/// What the two lists have in common.
std::vector<std::pair<std::string_view, std::string>> members_of(const Parked& parked) {
  return {{"sequence", fmt::format("{}", parked.sequence)}, {"destination", json_text(parked.destination)},
          {"tenant_id", json_text(parked.tenant_id)},       {"dispatch_key", json_text(parked.dispatch_key)},
          {"state", json_text(to_string(parked.state))},    {"attempts", fmt::format("{}", parked.attempts)},
          {"error_code", json_text(parked.error_code)},     {"last_error", json_text(parked.last_error)}};
}

std::string to_json(const DeadLetter& letter) {
  auto members = members_of(letter.parked);
  members.emplace_back("topic", json_text(letter.topic));
  members.emplace_back("event_id", json_text(letter.event_id));
  members.emplace_back("changed_at", json_text(time_text(letter.changed_at)));
  members.emplace_back("story", letter.story.empty() ? "[]" : letter.story);
  return json_object(members);
}

std::string to_json(const BlockedKey& key) {
  auto members = members_of(key.head);
  members.emplace_back("waiting_count", fmt::format("{}", key.waiting_count));
  return json_object(members);
}

Row to_row(const DeadLetter& letter) {
  const Parked& parked = letter.parked;
  return {fmt::format("{}", parked.sequence),
          parked.destination,
          std::string(to_string(parked.state)),
          parked.tenant_id,
          letter.topic,
          fmt::format("{}", parked.attempts),
          parked.error_code,
          time_text(letter.changed_at),
          parked.last_error};
}

Row to_row(const BlockedKey& key) {
  const Parked& head = key.head;
  return {head.tenant_id,
          head.dispatch_key,
          head.destination,
          fmt::format("{}", head.sequence),
          std::string(to_string(head.state)),
          fmt::format("{}", head.attempts),
          fmt::format("{}", key.waiting_count),
          head.error_code,
          head.last_error};
}

template <class Item>
void print_items(const std::vector<Item>& items, const Row& head, const Wanted& wanted) {
  std::vector<std::string> objects;
  std::vector<Row> rows;
  for (const Item& item : items) {
    objects.push_back(to_json(item));
    rows.push_back(to_row(item));
  }
  if (wanted.as_json) {
    fmt::print("{}\n", json_array(objects));
  } else {
    print_table(head, rows);
  }
}

Result<> list_dead(const Program& program, const Wanted& wanted) {
  const auto letters = MAKEGOOD_TRY(open_letters(program));
  const auto found = MAKEGOOD_TRY(letters->list(wanted.tenant, wanted.after, wanted.rows_max));
  print_items(found, {"SEQUENCE", "DESTINATION", "STATE", "TENANT", "TOPIC", "ATTEMPTS", "CODE", "SINCE", "LAST ERROR"},
              wanted);
  if (!wanted.as_json && found.size() >= wanted.rows_max) {
    fmt::print("There may be more; go on with --after {}.\n", found.back().parked.sequence);
  }
  return {};
}

Result<> list_blocked(const Program& program, const Wanted& wanted) {
  const auto letters = MAKEGOOD_TRY(open_letters(program));
  const auto found = MAKEGOOD_TRY(letters->blocked_keys(wanted.rows_max));
  print_items(found, {"TENANT", "KEY", "DESTINATION", "HEAD", "STATE", "ATTEMPTS", "BEHIND", "CODE", "LAST ERROR"},
              wanted);
  return {};
}

CLI::App& add_list(CLI::App& outbox, Program& program, const std::string& name, const std::string& description,
                   const std::shared_ptr<Wanted>& wanted) {
  CLI::App& verb = *outbox.add_subcommand(name, description);
  add_outbox_flags(verb, program);
  verb.add_option("--limit", wanted->rows_max, "At most so many")->type_name("ROWS")->check(CLI::Range(1, 10000));
  verb.add_flag("--json", wanted->as_json, "For programs");
  return verb;
}

}  // namespace

void add_outbox_lists(CLI::App& outbox, Program& program) {
  const auto wanted = std::make_shared<Wanted>();
  CLI::App& dead = add_list(outbox, program, "dead", "List dead and quarantined deliveries", wanted);
  dead.add_option("--tenant", wanted->tenant, "Only this tenant")->type_name("TENANT");
  dead.add_option("--after", wanted->after, "Only messages after this number")->type_name("SEQUENCE");
  run(dead, program, [&program, wanted] { return list_dead(program, *wanted); });

  CLI::App& blocked = add_list(outbox, program, "blocked", "List keys whose messages wait for a failed one", wanted);
  run(blocked, program, [&program, wanted] { return list_blocked(program, *wanted); });
}

}  // namespace makegood::cli
