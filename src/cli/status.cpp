// makegood status: what is broken, since when, how many wait, held by what, and what to do.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include "cli/age.hpp"
#include "cli/client.hpp"
#include "cli/json_view.hpp"
#include "cli/print.hpp"
#include "cli/verbs.hpp"
#include "config/mistake.hpp"

namespace makegood::cli {
namespace {

constexpr std::string_view read_from_store =
    "This was read from the store. What a running relay suffers from at this moment is known to its server only: "
    "--server URL.";

/// So that the advice can be copied: it says again which server, or which store.
std::string runnable(const Program& program, const std::string& advice) {
  const bool is_verb = advice.starts_with("makegood ") && advice.find(" --store ") == std::string::npos;
  if (!is_verb) return advice;
  const std::string token = program.token_file.empty() ? std::string() : " --token-file " + program.token_file;
  if (!program.server_url.empty()) return fmt::format("{} --server {}{}", advice, program.server_url, token);
  const std::string config = program.config_file.empty() ? std::string() : " --config " + program.config_file;
  const std::string store =
      program.store_url.empty() ? std::string() : " --store " + config::url_without_password(program.store_url);
  return advice + config + store + (config.empty() && store.empty() ? token : std::string());
}

std::string circumstances(const Json& trouble, TimePoint now) {
  std::vector<std::string> parts;
  if (const std::string since = text_at(trouble, "since"); !since.empty()) {
    parts.push_back(fmt::format("since {} ({})", ago_text(since, now), since));
  }
  if (const std::int64_t count = number_at(trouble, "count"); count > 0)
    parts.push_back(fmt::format("{} of them", count));
  if (const std::string by = text_at(trouble, "held_by"); !by.empty()) parts.push_back("held by " + by);
  return fmt::format("{}", fmt::join(parts, ", "));
}

void print_trouble(const Program& program, const Json& trouble, TimePoint now) {
  const bool is_critical = text_at(trouble, "severity") == "critical";
  const std::string code = text_at(trouble, "code");
  const std::string outbox = text_at(trouble, "outbox");
  fmt::print("{:<9} {}: {}{}\n", is_critical ? "CRITICAL" : "warning",
             outbox.empty() ? "sagas" : config::printable(outbox), config::printable(text_at(trouble, "what")),
             code.empty() ? code : fmt::format(" [{}]", code));
  if (const std::string told = circumstances(trouble, now); !told.empty()) {
    fmt::print("          {}\n", config::printable(told));
  }
  fmt::print("          → {}\n", config::printable(runnable(program, text_at(trouble, "advice"))));
}

void print_troubles(const Program& program, const Json& status, TimePoint now) {
  const Json& troubles = array_at(status, "troubles");
  const std::string store = config::printable(text_at(status, "store"));
  if (troubles.Empty()) {
    fmt::print("All is well with {}.\n", store);
  } else if (flag_at(status, "is_ok")) {
    fmt::print("{} works. Worth a look:\n\n", store);
  } else {
    fmt::print("Something is broken at {}:\n\n", store);
  }
  for (const Json& trouble : troubles.GetArray()) print_trouble(program, trouble, now);
}

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
  return text;
}

void print_outboxes(const Json& outboxes, TimePoint now) {
  std::vector<Row> rows;
  for (const Json& one : outboxes.GetArray()) {
    rows.push_back({cell(one, "outbox"), flag_at(one, "is_owned") ? "owned" : "nobody", cell(one, "pending_count"),
                    ago_cell(one, "oldest_pending_at", now), cell(one, "under_way_count"), cell(one, "waiting_count"),
                    cell(one, "held_count"), cell(one, "blocked_key_count"), cell(one, "side_lane_count"),
                    cell(one, "dead_count"), cell(one, "quarantined_count")});
  }
  if (rows.empty()) return;
  fmt::print("\n");
  print_table({"OUTBOX", "OWNER", "UNREAD", "OLDEST", "UNDER WAY", "WAITING", "HELD", "BLOCKED KEYS", "SIDE LANES",
               "DEAD", "QUARANTINED"},
              rows);
}

/// One line per saga, one column per state that any is in.
void print_saga_counts(const Json& counts) {
  std::map<std::string, std::map<std::string, std::int64_t>> by_saga;
  std::set<std::string> states;
  for (const Json& one : counts.GetArray()) {
    if (number_at(one, "count") == 0) continue;
    const std::string saga = text_at(one, "chainName");
    by_saga[saga.empty() ? "(in memory)" : saga][text_at(one, "state")] += number_at(one, "count");
    states.insert(text_at(one, "state"));
  }
  if (by_saga.empty()) return;
  Row head = {"SAGA"};
  for (const std::string& state : states) head.push_back(upper(state));
  std::vector<Row> rows;
  for (const auto& [saga, counted] : by_saga) {
    Row& row = rows.emplace_back(Row{saga});
    for (const std::string& state : states) {
      row.push_back(counted.contains(state) ? fmt::format("{}", counted.at(state)) : "-");
    }
  }
  fmt::print("\n");
  print_table(head, rows);
}

Result<> show_status(Program& program, bool fails_when_broken) {
  const auto client = MAKEGOOD_TRY(Client::open(program));
  const std::string answer = MAKEGOOD_TRY(client->get("/api/status"));
  const auto status = MAKEGOOD_TRY(parse_answer(answer));
  if (program.as_json) {
    fmt::print("{}\n", answer);
  } else {
    const TimePoint now = system_clock().now();
    print_troubles(program, status, now);
    print_outboxes(array_at(status, "outboxes"), now);
    print_saga_counts(array_at(status, "sagas"));
    if (!client->is_server()) fmt::print("\n{}\n", read_from_store);
  }
  if (fails_when_broken && !flag_at(status, "is_ok")) program.exit = Exit::failed;
  return {};
}

}  // namespace

void add_status(CLI::App& app, Program& program) {
  CLI::App& verb = *app.add_subcommand("status", "What is broken, since when, how many wait, and what to do");
  add_call_flags(verb, program);
  const auto fails_when_broken = std::make_shared<bool>(false);
  verb.add_flag("--check", *fails_when_broken, "Exit code 1 when something is critical");
  verb.footer(
      "UNREAD: messages that the relay has not read. WAITING: deliveries between two attempts. HELD: behind a failed\n"
      "one of their key. The line after → is the command to run next.");
  run(verb, program, [&program, fails_when_broken] { return show_status(program, *fails_when_broken); });
}

}  // namespace makegood::cli
