// makegood outbox list: messages, the newest first.
#include <fmt/format.h>

#include <memory>

#include "cli/age.hpp"
#include "cli/client.hpp"
#include "cli/json_view.hpp"
#include "cli/message_flags.hpp"
#include "cli/print.hpp"
#include "cli/verbs.hpp"

namespace makegood::cli {
namespace {

struct MessageList {
  MessageFlags flags = {};
  std::size_t limit = 50;
  std::string cursor = {};
};

Row message_row(const Json& message, TimePoint now) {
  return {cell(message, "sequence"),
          cell(message, "state"),
          cell(message, "tenant_id"),
          cell(message, "topic"),
          cell(message, "dispatch_key"),
          cell(message, "attempts"),
          ago_cell(message, "created_at", now),
          cell(message, "event_id"),
          cell(message, "last_error")};
}

Result<std::string> message_page(Client& client, const MessageList& list, std::size_t limit,
                                 const std::string& cursor) {
  Query query = MAKEGOOD_TRY(query_of(list.flags));
  query.add("limit", fmt::format("{}", limit)).add("cursor", cursor);
  return client.get_of_outbox("/messages", query.text());
}

/// A page may be short, or empty, and not be the last; people want as many as they asked for.
Result<> print_messages(Client& client, const MessageList& list) {
  const TimePoint now = system_clock().now();
  std::vector<Row> rows;
  std::string cursor = list.cursor;
  do {
    const std::string body = MAKEGOOD_TRY(message_page(client, list, list.limit - rows.size(), cursor));
    const auto page = MAKEGOOD_TRY(parse_answer(body));
    for (const Json& message : array_at(page, "items").GetArray()) rows.push_back(message_row(message, now));
    cursor = text_at(page, "next");
  } while (!cursor.empty() && rows.size() < list.limit);
  print_table({"SEQUENCE", "STATE", "TENANT", "TOPIC", "KEY", "ATTEMPTS", "CREATED", "EVENT", "LAST ERROR"}, rows);
  if (!cursor.empty()) fmt::print("There may be more; go on with --cursor {}.\n", cursor);
  return {};
}

Result<> list_messages(const Program& program, const MessageList& list) {
  const auto client = MAKEGOOD_TRY(Client::open(program));
  if (!program.as_json) return print_messages(*client, list);
  fmt::print("{}\n", MAKEGOOD_TRY(message_page(*client, list, list.limit, list.cursor)));
  return {};
}

}  // namespace

void add_outbox_list(CLI::App& outbox, Program& program) {
  CLI::App& verb = *outbox.add_subcommand("list", "List messages, the newest first");
  add_call_flags(verb, program);
  const auto list = std::make_shared<MessageList>();
  add_message_flags(verb, list->flags);
  verb.add_option("--limit", list->limit, "At most so many, default 50")->type_name("ROWS")->check(CLI::Range(1, 1000));
  verb.add_option("--cursor", list->cursor, "Go on where a list ended")->type_name("CURSOR");
  run(verb, program, [&program, list] { return list_messages(program, *list); });
}

}  // namespace makegood::cli
