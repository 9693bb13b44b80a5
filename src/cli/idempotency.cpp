// makegood idempotency show|list|forget|resolve|purge: the keys of repeated requests.
#include <fmt/format.h>

#include <memory>

#include "cli/age.hpp"
#include "cli/asking.hpp"
#include "cli/client.hpp"
#include "cli/json_view.hpp"
#include "cli/print.hpp"
#include "cli/story.hpp"
#include "cli/url_text.hpp"
#include "cli/verbs.hpp"
#include "config/mistake.hpp"

namespace makegood::cli {
namespace {

struct KeyName {
  std::string tenant = "default";
  std::string scope = {};
  std::string key = {};
};

struct KeyList {
  std::string tenant = {};
  std::string scope = {};
  bool is_in_doubt = false;
  std::size_t limit = 100;
  std::string cursor = {};
};

struct KeyResolution {
  KeyName name = {};
  bool is_done = false;
  bool is_not_done = false;
  std::string digest = {};
};

void put_name(api::Writer& writer, const KeyName& name) {
  api::put(writer, "tenant_id", name.tenant);
  api::put(writer, "scope", name.scope);
  api::put(writer, "key", name.key);
}

/// As it is for programs, or one sentence for people.
Result<> tell_done(const Program& program, const std::string& answer, const std::string& sentence) {
  fmt::print("{}\n", program.as_json ? answer : sentence);
  return {};
}

std::string answer_cell(const Json& key) {
  const std::string sealed_by = text_at(key, "sealed_by");
  if (sealed_by.empty()) return cell(key, "status");
  const std::string unopened = text_at(key, "unopened");
  return fmt::format("{}, sealed with the key {}; {}", cell(key, "status"), sealed_by,
                     unopened.empty() ? "opened here" : unopened);
}

void print_key(const Json& key) {
  const TimePoint now = system_clock().now();
  fmt::print("{} is {}; a repeated request is told: {}.\n", cell(key, "key"), cell(key, "state"), cell(key, "outcome"));
  print_field("tenant", cell(key, "tenant_id"));
  print_field("scope", cell(key, "scope"));
  print_field("fingerprint", cell(key, "fingerprint"));
  print_field("claimed", fmt::format("{} times, first {}", cell(key, "claims"), ago_cell(key, "created_at", now)));
  print_field("changed", ago_cell(key, "updated_at", now));
  print_field("lease until", cell(key, "lease_until"));
  print_field("after it", cell(key, "after_lease"));
  print_field("expires at", cell(key, "expires_at"));
  print_field("failure", cell(key, "failure_code"));
  print_field("digest", cell(key, "digest"));
  print_field("answer", answer_cell(key));
}

Result<> show_key(const Program& program, const KeyName& name) {
  const auto client = MAKEGOOD_TRY(Client::open(program));
  Query query;
  query.add("tenant_id", name.tenant).add("scope", name.scope).add("key", name.key);
  const std::string answer = MAKEGOOD_TRY(client->get("/api/idempotency/key", query.text()));
  if (program.as_json) {
    fmt::print("{}\n", answer);
    return {};
  }
  print_key(MAKEGOOD_TRY(parse_answer(answer)));
  return {};
}

void print_keys(const Json& answer) {
  const TimePoint now = system_clock().now();
  std::vector<Row> rows;
  for (const Json& key : array_at(answer, "items").GetArray()) {
    rows.push_back({cell(key, "tenant_id"), cell(key, "scope"), cell(key, "key"), cell(key, "state"),
                    cell(key, "outcome"), cell(key, "claims"), ago_cell(key, "updated_at", now),
                    cell(key, "failure_code")});
  }
  print_table({"TENANT", "SCOPE", "KEY", "STATE", "TOLD", "CLAIMS", "CHANGED", "FAILURE"}, rows);
  if (const std::string next = text_at(answer, "next"); !next.empty()) {
    fmt::print("There are more; go on with --cursor '{}'.\n", config::printable(next));
  }
}

Result<> list_keys(const Program& program, const KeyList& list) {
  const auto client = MAKEGOOD_TRY(Client::open(program));
  Query query;
  query.add("tenant_id", list.tenant).add("scope", list.scope).add("cursor", list.cursor);
  query.add("in_doubt", list.is_in_doubt ? "true" : "").add("limit", fmt::format("{}", list.limit));
  const std::string answer = MAKEGOOD_TRY(client->get("/api/idempotency/keys", query.text()));
  if (program.as_json) {
    fmt::print("{}\n", answer);
    return {};
  }
  print_keys(MAKEGOOD_TRY(parse_answer(answer)));
  return {};
}

Result<> forget_key(const Program& program, const KeyName& name) {
  const auto client = MAKEGOOD_TRY(Client::open(program));
  const std::string body = body_of([&](api::Writer& writer) { put_name(writer, name); });
  const std::string answer = MAKEGOOD_TRY(client->send("POST", "/api/idempotency/forget", body));
  return tell_done(program, answer, "Forgotten: the next request with this key is worked on.");
}

Result<> resolve_key(const Program& program, const KeyResolution& resolution) {
  if (resolution.is_done == resolution.is_not_done) {
    return Error{Errc::invalid, "Say what you have found out: --done or --not-done."};
  }
  const auto client = MAKEGOOD_TRY(Client::open(program));
  const std::string body = body_of([&](api::Writer& writer) {
    put_name(writer, resolution.name);
    api::put(writer, "was_done", resolution.is_done);
    put_if(writer, "digest", resolution.digest);
  });
  const std::string answer = MAKEGOOD_TRY(client->send("POST", "/api/idempotency/resolve", body));
  return tell_done(program, answer,
                   resolution.is_done ? "Resolved: a repeated request is a hit from now on."
                                      : "Resolved: the next request with this key is worked on.");
}

Result<> purge_keys(const Program& program, std::size_t limit) {
  const auto client = MAKEGOOD_TRY(Client::open(program));
  const std::string body = body_of([&](api::Writer& writer) { api::put(writer, "limit", limit); });
  const std::string answer = MAKEGOOD_TRY(client->send("POST", "/api/idempotency/purge", body));
  const auto purged = MAKEGOOD_TRY(parse_answer(answer));
  return tell_done(program, answer, fmt::format("{} keys purged", number_at(purged, "purged")));
}

void add_key_name(CLI::App& verb, KeyName& name) {
  verb.add_option("key", name.key, "The key")->required()->type_name("KEY");
  verb.add_option("--scope", name.scope, "What it is for, as 'idempotency list' has it")->type_name("SCOPE");
  verb.add_option("--tenant", name.tenant, "Its tenant, default 'default'")->type_name("TENANT");
}

void add_key_list(CLI::App& idempotency, Program& program) {
  CLI::App& verb = *idempotency.add_subcommand("list", "List keys in their order");
  add_call_flags(verb, program);
  const auto list = std::make_shared<KeyList>();
  verb.add_option("--tenant", list->tenant, "Only this tenant")->type_name("TENANT");
  verb.add_option("--scope", list->scope, "Only this scope")->type_name("SCOPE");
  verb.add_flag("--in-doubt", list->is_in_doubt, "Only those about which somebody has to decide");
  verb.add_option("--limit", list->limit, "At most so many, default 100")
      ->type_name("ROWS")
      ->check(CLI::Range(1, 1000));
  verb.add_option("--cursor", list->cursor, "Go on where a list ended")->type_name("CURSOR");
  run(verb, program, [&program, list] { return list_keys(program, *list); });
}

void add_key_show(CLI::App& idempotency, Program& program) {
  CLI::App& verb = *idempotency.add_subcommand("show", "Show a key with all that is known of it");
  add_call_flags(verb, program);
  const auto name = std::make_shared<KeyName>();
  add_key_name(verb, *name);
  run(verb, program, [&program, name] { return show_key(program, *name); });
}

void add_key_forget(CLI::App& idempotency, Program& program) {
  CLI::App& verb = *idempotency.add_subcommand("forget", "Forget a key, so that its request can be made anew");
  add_call_flags(verb, program);
  const auto name = std::make_shared<KeyName>();
  add_key_name(verb, *name);
  run(verb, program, [&program, name] { return forget_key(program, *name); });
}

void add_key_resolve(CLI::App& idempotency, Program& program) {
  CLI::App& verb = *idempotency.add_subcommand("resolve", "Decide about a key that is in doubt");
  add_call_flags(verb, program);
  const auto resolution = std::make_shared<KeyResolution>();
  add_key_name(verb, resolution->name);
  CLI::Option* done = verb.add_flag("--done", resolution->is_done, "It was done: a repeated request is a hit");
  verb.add_flag("--not-done", resolution->is_not_done, "It was not done: the next request is worked on")
      ->excludes(done);
  verb.add_option("--digest", resolution->digest, "What repeated requests are told of the result")->type_name("TEXT");
  run(verb, program, [&program, resolution] { return resolve_key(program, *resolution); });
}

void add_key_purge(CLI::App& idempotency, Program& program) {
  CLI::App& verb = *idempotency.add_subcommand("purge", "Delete keys whose time is over, in one bounded step");
  add_call_flags(verb, program);
  const auto limit = std::make_shared<std::size_t>(1000);
  verb.add_option("--limit", *limit, "At most so many, default 1000")->type_name("ROWS")->check(CLI::Range(1, 10000));
  run(verb, program, [&program, limit] { return purge_keys(program, *limit); });
}

}  // namespace

void add_idempotency(CLI::App& app, Program& program) {
  CLI::App& verb = *app.add_subcommand("idempotency", "Look at idempotency keys, decide about those in doubt");
  verb.require_subcommand(1);
  add_key_list(verb, program);
  add_key_show(verb, program);
  add_key_forget(verb, program);
  add_key_resolve(verb, program);
  add_key_purge(verb, program);
}

}  // namespace makegood::cli
