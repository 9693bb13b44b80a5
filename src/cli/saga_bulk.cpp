// makegood saga bulk: the same asked of all executions that a filter names: counted first, confirmed, at a rate, with
// progress; and makegood jobs, which lists such work, lets it stand and ends it.
#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <optional>

#include "cli/age.hpp"
#include "cli/asking.hpp"
#include "cli/job_follower.hpp"
#include "cli/json_view.hpp"
#include "cli/print.hpp"
#include "cli/saga_flags.hpp"

namespace makegood::cli {
namespace {

struct BulkFlags {
  std::string verb = {};
  std::string step = {};
  std::string choice = {};
  std::string state = {};
  std::string definition = {};
  std::optional<std::int64_t> version = {};
  std::optional<std::int64_t> to_version = {};
  std::string at_step = {};
  std::string code = {};
  std::string tenant = {};
  std::string id = {};
  std::string from = {};
  std::string until = {};
  std::optional<double> rate = {};
  std::optional<std::int64_t> limit = {};
  bool is_dry = false;
  bool is_sure = false;
  std::string reason = {};
};

Result<std::string> filter_of(const BulkFlags& flags) {
  const TimePoint now = system_clock().now();
  const std::string from = MAKEGOOD_TRY(moment_argument(flags.from, now));
  const std::string until = MAKEGOOD_TRY(moment_argument(flags.until, now));
  return body_of([&](api::Writer& writer) {
    put_if(writer, "state", flags.state);
    put_if(writer, "definition", flags.definition);
    if (flags.version) api::put(writer, "version", *flags.version);
    put_if(writer, "step", flags.at_step);
    put_if(writer, "code", flags.code);
    put_if(writer, "tenant", flags.tenant);
    put_if(writer, "id", flags.id);
    put_if(writer, "from", from);
    put_if(writer, "until", until);
  });
}

Result<std::string> bulk_body(const BulkFlags& flags, bool is_dry) {
  const std::string filter = MAKEGOOD_TRY(filter_of(flags));
  return body_of([&](api::Writer& writer) {
    put_if(writer, "verb", flags.verb);
    api::put_json(writer, "filter", filter);
    put_if(writer, "step", flags.step);
    put_if(writer, "choice", flags.choice);
    if (flags.to_version) api::put(writer, "to_version", *flags.to_version);
    put_if(writer, "reason", flags.reason);
    if (flags.rate) api::put(writer, "rate_per_second", *flags.rate);
    if (flags.limit) api::put(writer, "limit", *flags.limit);
    if (is_dry) api::put(writer, "dry_run", true);
  });
}

Result<> ask_many(const Program& program, const BulkFlags& flags) {
  const auto client = MAKEGOOD_TRY(Client::open(program));
  const std::string asked = MAKEGOOD_TRY(bulk_body(flags, true));
  const std::string counted = MAKEGOOD_TRY(client->send("POST", "/api/saga/bulk", asked));
  const std::int64_t count = number_at(MAKEGOOD_TRY(parse_answer(counted)), "count");
  if (flags.is_dry && program.as_json) {
    fmt::print("{}\n", counted);
  } else if (!program.as_json) {
    fmt::print("{} execution{} {}.\n", count, count == 1 ? "" : "s", count == 1 ? "matches" : "match");
  }
  if (flags.is_dry || (count == 0 && !program.as_json)) return {};
  const std::string question = fmt::format("{} {}?", flags.verb, count == 1 ? "it" : "them");
  if (!flags.is_sure) MAKEGOOD_TRY(confirm(question, "Nothing was asked for."));
  const Duration patience =
      std::chrono::duration_cast<Duration>(program.wait) + (client->is_server() ? std::chrono::seconds(2) : Duration());
  const std::string wanted = MAKEGOOD_TRY(bulk_body(flags, false));
  std::string job = MAKEGOOD_TRY(client->send("POST", "/api/saga/bulk", wanted));
  const std::string verb = flags.verb + ": done";
  const JobTexts texts{.done = verb.c_str(), .again = "It has stopped"};
  return end_of_job(program, texts, MAKEGOOD_TRY(follow_job(*client, patience, std::move(job))));
}

void add_filter_flags(CLI::App& verb, BulkFlags& flags) {
  verb.add_option("--state", flags.state, "Executions in this state, as in manual or failed")
      ->required()
      ->type_name("STATE");
  verb.add_option("--definition", flags.definition, "Only executions of this saga")->type_name("NAME");
  verb.add_option("--version", flags.version, "Only executions of this version of it")
      ->type_name("N")
      ->check(CLI::PositiveNumber);
  verb.add_option("--at-step", flags.at_step, "Only those that stand at this step, or failed there")->type_name("STEP");
  verb.add_option("--code", flags.code, "Only those that failed with this code")->type_name("CODE");
  verb.add_option("--tenant", flags.tenant, "Only this tenant")->type_name("TENANT");
  verb.add_option("--id", flags.id, "Only ids that begin so")->type_name("PREFIX");
  verb.add_option("--from", flags.from, "Begun at this moment or later; a time, or how long ago: 2h")
      ->type_name("TIME");
  verb.add_option("--until", flags.until, "Begun before this moment")->type_name("TIME");
}

struct JobFlags {
  std::int64_t job = 0;
};

void print_jobs(const Json& answer) {
  const TimePoint now = system_clock().now();
  std::vector<Row> rows;
  for (const Json& job : array_at(answer, "items").GetArray()) {
    rows.push_back({cell(job, "job"), cell(job, "kind"), cell(job, "verb"), cell(job, "state"), cell(job, "total"),
                    cell(job, "asked"), cell(job, "done"), cell(job, "refused"), cell(job, "operator"),
                    ago_cell(job, "started_at", now)});
  }
  if (rows.empty()) return fmt::print("There are no jobs; they are forgotten with their process.\n");
  print_table({"JOB", "KIND", "VERB", "STATE", "TOTAL", "ASKED", "DONE", "REFUSED", "BY", "BEGAN"}, rows);
}

Result<> list_the_jobs(const Program& program) {
  const auto client = MAKEGOOD_TRY(Client::open(program));
  const std::string answer = MAKEGOOD_TRY(client->get("/api/jobs"));
  if (program.as_json) {
    fmt::print("{}\n", answer);
    return {};
  }
  print_jobs(MAKEGOOD_TRY(parse_answer(answer)));
  return {};
}

Result<> change_job(const Program& program, const JobFlags& flags, const std::string& method, const char* below) {
  const auto client = MAKEGOOD_TRY(Client::open(program));
  const std::string answer =
      MAKEGOOD_TRY(client->send(method, fmt::format("/api/jobs/{}{}", flags.job, below), method == "POST" ? "{}" : ""));
  if (program.as_json) {
    fmt::print("{}\n", answer);
    return {};
  }
  fmt::print("Job {} is {}.\n", flags.job, text_at(MAKEGOOD_TRY(parse_answer(answer)), "state"));
  return {};
}

void add_job_verb(CLI::App& jobs, Program& program, const char* name, const char* says, const char* method,
                  const char* below) {
  CLI::App& verb = *jobs.add_subcommand(name, says);
  add_call_flags(verb, program);
  const auto flags = std::make_shared<JobFlags>();
  verb.add_option("job", flags->job, "Its number")->required()->type_name("JOB");
  run(verb, program, [&program, flags, method, below] { return change_job(program, *flags, method, below); });
}

}  // namespace

void add_saga_bulk(CLI::App& saga, Program& program) {
  CLI::App& verb = *saga.add_subcommand("bulk", "Ask the same of all executions that a filter names");
  add_call_flags(verb, program);
  const auto flags = std::make_shared<BulkFlags>();
  verb.add_option("verb", flags->verb,
                  "pause, resume, cancel, retry, skip, compensate, decide, resolve, repin or annotate")
      ->required()
      ->type_name("VERB");
  verb.add_option("step", flags->step, "The step, of skip, decide and resolve; otherwise what is stuck")
      ->type_name("STEP");
  verb.add_option("choice", flags->choice, "approve or reject; done, not_done or undone")->type_name("WORD");
  verb.add_option("--to-version", flags->to_version, "Of repin: the version to go on by")
      ->type_name("N")
      ->check(CLI::PositiveNumber);
  add_filter_flags(verb, *flags);
  verb.add_option("--limit", flags->limit, "At most so many")->type_name("N")->check(CLI::PositiveNumber);
  verb.add_option("--rate", flags->rate, "At most so many per second")->type_name("N")->check(CLI::PositiveNumber);
  verb.add_flag("--dry-run", flags->is_dry, "Only count them");
  verb.add_flag("--yes", flags->is_sure, "Do not ask");
  add_asking_flags(verb, program, flags->reason, Reason::required);
  verb.footer(
      "Each journal has who asked and why. What has changed meanwhile refuses. On a server the work goes on when\n"
      "this is interrupted ('makegood jobs'); the same command again goes on with what still matches.");
  run(verb, program, [&program, flags] { return ask_many(program, *flags); });
}

void add_jobs(CLI::App& app, Program& program) {
  CLI::App& jobs = *app.add_subcommand("jobs", "What a server does for all that a filter names");
  jobs.require_subcommand(1);
  CLI::App& list = *jobs.add_subcommand("list", "List jobs, the newest first");
  add_call_flags(list, program);
  run(list, program, [&program] { return list_the_jobs(program); });
  add_job_verb(jobs, program, "pause", "Ask for nothing more until it is resumed", "POST", "/pause");
  add_job_verb(jobs, program, "resume", "Go on with one that is paused", "POST", "/resume");
  add_job_verb(jobs, program, "cancel", "End one; what it has asked for is still carried out", "DELETE", "");
}

}  // namespace makegood::cli
