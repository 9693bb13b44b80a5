// makegood dead replay: one dead letter, or all that a filter names: counted first, confirmed, at a rate, with
// progress.
#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <optional>

#include "cli/asking.hpp"
#include "cli/client.hpp"
#include "cli/dead_flags.hpp"
#include "cli/job_follower.hpp"
#include "cli/json_view.hpp"
#include "cli/verbs.hpp"
#include "config/mistake.hpp"

namespace makegood::cli {
namespace {

constexpr Asking replaying{"replay", "Send dead letters again: one, or all that a filter names",
                           "sends the message again, with fresh attempts"};

struct Replayed {
  std::vector<std::string> one = {};  ///< SEQUENCE DESTINATION.
  std::string execution = {};         ///< A failed execution of a saga instead.
  bool compensates = false;           ///< It.
  DeadFlags flags = {};
  bool is_all = false;
  std::optional<double> rate = {};
  std::optional<std::int64_t> limit = {};
  bool is_dry = false;
  bool is_sure = false;
  std::string reason = {};
};

Result<> replay_one(const Program& program, Client& client, const Replayed& wanted) {
  const std::string path =
      fmt::format("/dead/{}/{}/replay", percent_encoded(wanted.one[0]), percent_encoded(wanted.one[1]));
  const std::string body = body_of([&](api::Writer& writer) { put_if(writer, "reason", wanted.reason); });
  return tell_asked(program, replaying, MAKEGOOD_TRY(client.send_to_outbox("POST", path, body)));
}

Result<std::string> replay_body(const Replayed& wanted, bool is_dry) {
  const std::string filter = MAKEGOOD_TRY(filter_json(wanted.flags));
  return body_of([&](api::Writer& writer) {
    api::put_json(writer, "filter", filter);
    put_if(writer, "reason", wanted.reason);
    if (wanted.rate) api::put(writer, "rate_per_second", *wanted.rate);
    if (wanted.limit) api::put(writer, "limit", *wanted.limit);
    if (is_dry) api::put(writer, "dry_run", true);
  });
}

Result<> replay_many(const Program& program, Client& client, const Replayed& wanted) {
  const std::string question = MAKEGOOD_TRY(replay_body(wanted, true));
  const std::string counted = MAKEGOOD_TRY(client.send_to_outbox("POST", "/dead/replay", question));
  const std::int64_t count = number_at(MAKEGOOD_TRY(parse_answer(counted)), "count");
  if (wanted.is_dry && program.as_json) {
    fmt::print("{}\n", counted);
  } else if (!program.as_json) {
    fmt::print("{} dead letter{} {}.\n", count, count == 1 ? "" : "s", count == 1 ? "matches" : "match");
  }
  if (wanted.is_dry || (count == 0 && !program.as_json)) return {};
  const std::string question_of_many = fmt::format("Send {} again?", count == 1 ? "it" : "them");
  if (!wanted.is_sure) MAKEGOOD_TRY(confirm(question_of_many, "Nothing was sent again."));
  const Duration patience =
      std::chrono::duration_cast<Duration>(program.wait) + (client.is_server() ? std::chrono::seconds(2) : Duration());
  const std::string body = MAKEGOOD_TRY(replay_body(wanted, false));
  std::string job = MAKEGOOD_TRY(client.send_to_outbox("POST", "/dead/replay", body));
  const JobTexts texts{.done = "are sent again", .again = "The replay has stopped"};
  return end_of_job(program, texts, MAKEGOOD_TRY(follow_job(client, patience, std::move(job))));
}

/// From where it failed: what is open is undone again, or a definition is there by now. Or only the former.
Result<> replay_execution(const Program& program, const Replayed& wanted) {
  const auto client = MAKEGOOD_TRY(Client::open(program));
  const std::string reason = wanted.reason.empty() ? "replayed" : wanted.reason;
  const std::string body = body_of([&](api::Writer& writer) {
    put_if(writer, "reason", reason);
    put_if(writer, "state", "failed");
  });
  const std::string_view verb = wanted.compensates ? "compensate" : "retry";
  const std::string path = fmt::format("/api/saga/executions/{}/{}", percent_encoded(wanted.execution), verb);
  const std::string query = Query().add("tenant", wanted.flags.tenant).text();
  const std::string answer = MAKEGOOD_TRY(client->send("POST", path, body, query));
  if (program.as_json) {
    fmt::print("{}\n", answer);
    return {};
  }
  const auto told = MAKEGOOD_TRY(parse_answer(answer));
  fmt::print("Request {} is {}: {} {}.\n", number_at(told, "request"),
             text_at(told, "result") == "done" ? "done" : "recorded", config::printable(wanted.execution),
             wanted.compensates ? "is undone as far as it can be" : "goes on from where it failed");
  return {};
}

Result<> replay_dead_letters(const Program& program, const Replayed& wanted) {
  if (!wanted.execution.empty()) return replay_execution(program, wanted);
  if (wanted.compensates) {
    return Error{Errc::invalid, "--compensate is for a failed execution of a saga: name it with --execution ID."};
  }
  const bool is_filtered = wanted.is_all || !is_empty(wanted.flags);
  if (wanted.one.empty() != is_filtered) {
    return Error{Errc::invalid,
                 "Name one dead letter (SEQUENCE DESTINATION), or several with --topic, --destination, --code, "
                 "--tenant, --from, --until or --all."};
  }
  const auto client = MAKEGOOD_TRY(Client::open(program));
  return is_filtered ? replay_many(program, *client, wanted) : replay_one(program, *client, wanted);
}

}  // namespace

void add_dead_replay(CLI::App& dead, Program& program) {
  CLI::App& verb = *dead.add_subcommand(replaying.name, replaying.description);
  add_call_flags(verb, program);
  const auto wanted = std::make_shared<Replayed>();
  verb.add_option("delivery", wanted->one, "One: the number of the message, and the destination")
      ->type_name("SEQUENCE DESTINATION")
      ->expected(2);
  verb.add_option("--execution", wanted->execution, "A failed execution of a saga instead, from where it failed")
      ->type_name("ID");
  verb.add_flag("--compensate", wanted->compensates, "Undo what is open of the execution, and begin nothing else");
  add_dead_flags(verb, wanted->flags);
  verb.add_flag("--all", wanted->is_all, "All dead letters");
  verb.add_option("--limit", wanted->limit, "At most so many")->type_name("N")->check(CLI::PositiveNumber);
  verb.add_option("--rate", wanted->rate, "At most so many per second")->type_name("N")->check(CLI::PositiveNumber);
  verb.add_flag("--dry-run", wanted->is_dry, "Only count them");
  verb.add_flag("--yes", wanted->is_sure, "Do not ask");
  add_asking_flags(verb, program, wanted->reason);
  verb.footer(
      "They keep their event ids. Quarantined ones are left alone. What was asked for is carried out even when this\n"
      "is interrupted; on a server the rest of the work goes on too.");
  run(verb, program, [&program, wanted] { return replay_dead_letters(program, *wanted); });
}

}  // namespace makegood::cli
