// makegood outbox blocked|unblock: keys whose messages wait behind a failed one.
#include <fmt/format.h>

#include <memory>

#include "cli/age.hpp"
#include "cli/asking.hpp"
#include "cli/client.hpp"
#include "cli/json_view.hpp"
#include "cli/print.hpp"
#include "cli/url_text.hpp"
#include "cli/verbs.hpp"

namespace makegood::cli {
namespace {

constexpr Asking unblocking{"unblock", "Let the messages behind a failed delivery pass it",
                            "leaves the delivery as it is and lets the messages of its key pass: their order is lost"};

struct Unblocked {
  std::int64_t sequence = 0;
  std::string destination = {};
  std::string reason = {};
};

Result<> list_blocked(const Program& program, std::size_t limit) {
  const auto client = MAKEGOOD_TRY(Client::open(program));
  const std::string query = Query().add("limit", fmt::format("{}", limit)).text();
  const std::string answer = MAKEGOOD_TRY(client->get_of_outbox("/blocked", query));
  if (program.as_json) {
    fmt::print("{}\n", answer);
    return {};
  }
  const auto keys = MAKEGOOD_TRY(parse_answer(answer));
  const TimePoint now = system_clock().now();
  std::vector<Row> rows;
  for (const Json& key : array_at(keys, "items").GetArray()) {
    rows.push_back({cell(key, "tenant_id"), cell(key, "dispatch_key"), cell(key, "destination"), cell(key, "sequence"),
                    cell(key, "state"), cell(key, "attempts"), cell(key, "waiting_count"), ago_cell(key, "due_at", now),
                    cell(key, "error_code"), cell(key, "last_error")});
  }
  print_table({"TENANT", "KEY", "DESTINATION", "HEAD", "STATE", "ATTEMPTS", "BEHIND", "DUE", "CODE", "LAST ERROR"},
              rows);
  return {};
}

Result<> unblock(const Program& program, const Unblocked& one) {
  const auto client = MAKEGOOD_TRY(Client::open(program));
  const std::string body = body_of([&](api::Writer& writer) {
    api::put(writer, "sequence", one.sequence);
    api::put(writer, "destination", std::string_view(one.destination));
    put_if(writer, "reason", one.reason);
  });
  return tell_asked(program, unblocking, MAKEGOOD_TRY(client->send_to_outbox("POST", "/unblock", body)));
}

}  // namespace

void add_outbox_blocked(CLI::App& outbox, Program& program) {
  CLI::App& blocked = *outbox.add_subcommand("blocked", "List keys whose messages wait for a failed one");
  add_call_flags(blocked, program);
  const auto limit = std::make_shared<std::size_t>(100);
  blocked.add_option("--limit", *limit, "At most so many")->type_name("ROWS")->check(CLI::Range(1, 1000));
  blocked.footer("A waiting head goes on by itself. A dead one: replay or quarantine it; or 'outbox unblock'.");
  run(blocked, program, [&program, limit] { return list_blocked(program, *limit); });

  CLI::App& verb = *outbox.add_subcommand(unblocking.name, unblocking.description);
  add_call_flags(verb, program);
  const auto one = std::make_shared<Unblocked>();
  verb.add_option("sequence", one->sequence, "The number of the message at the head")
      ->required()
      ->type_name("SEQUENCE");
  verb.add_option("destination", one->destination, "The destination, as 'outbox blocked' lists it")
      ->required()
      ->type_name("DESTINATION");
  add_asking_flags(verb, program, one->reason);
  verb.footer("'outbox blocked' lists the deliveries at the head of a key. The one that is passed is still tried.");
  run(verb, program, [&program, one] { return unblock(program, *one); });
}

}  // namespace makegood::cli
