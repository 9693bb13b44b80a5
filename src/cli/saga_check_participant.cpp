// makegood saga check-participant: a test that a participant can run against itself. Needs no server and no store.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>

#include "cli/flag_texts.hpp"
#include "cli/participant_check.hpp"
#include "cli/print.hpp"
#include "cli/verbs.hpp"
#include "config/mistake.hpp"

namespace makegood::cli {
namespace {

struct CheckedParticipant {
  std::string url = {};
  std::string compensation_url = {};
  std::string promise = "barrier";
  std::vector<std::string> headers = {};
  std::vector<std::string> secret_headers = {};
  std::vector<std::string> signing_keys = {};
  std::string timeout = "10s";
  ParticipantCheckOptions options = {};
};

Result<Participant::Settings> settings_of(const CheckedParticipant& wanted) {
  HttpSettings action{.url = wanted.url, .signing_keys = wanted.signing_keys};
  for (auto& [name, value] : MAKEGOOD_TRY(pairs_of(wanted.headers))) action.headers[name] = value;
  for (auto& [name, place] : MAKEGOOD_TRY(pairs_of(wanted.secret_headers))) action.secret_headers[name] = place;
  HttpSettings compensation = action;
  compensation.url = wanted.compensation_url;
  return Participant::Settings{.action = std::move(action),
                               .compensation = std::move(compensation),
                               .timeout = MAKEGOOD_TRY(duration_in("--timeout", wanted.timeout))};
}

Result<ParticipantCheckOptions> options_of(const CheckedParticipant& wanted) {
  ParticipantCheckOptions options = wanted.options;
  options.promise = *saga_promise_from(wanted.promise);
  options.input = MAKEGOOD_TRY(json_argument(options.input));
  if (!options.refused_input.empty()) options.refused_input = MAKEGOOD_TRY(json_argument(options.refused_input));
  return options;
}

std::size_t count_of(const std::vector<CheckedRule>& rules, CheckedRule::Verdict verdict) {
  return static_cast<std::size_t>(std::ranges::count(rules, verdict, &CheckedRule::verdict));
}

void print_rules(const std::vector<CheckedRule>& rules) {
  using Verdict = CheckedRule::Verdict;
  const std::map<Verdict, std::string_view> marks = {
      {Verdict::passed, "✓"}, {Verdict::failed, "✗"}, {Verdict::skipped, "·"}};
  for (const CheckedRule& rule : rules) {
    const bool is_skipped = rule.verdict == Verdict::skipped;
    fmt::print("{} {}{}\n", marks.at(rule.verdict), rule.rule,
               is_skipped ? fmt::format(" (skipped: {})", rule.detail) : "");
    if (rule.verdict == Verdict::failed) fmt::print("    {}\n", config::printable(rule.detail));
  }
  fmt::print("{} passed, {} failed, {} skipped\n", count_of(rules, Verdict::passed), count_of(rules, Verdict::failed),
             count_of(rules, Verdict::skipped));
}

void print_rules_as_json(const std::vector<CheckedRule>& rules) {
  std::vector<std::string> items;
  for (const CheckedRule& rule : rules) {
    items.push_back(json_object({{"name", json_text(rule.name)},
                                 {"rule", json_text(rule.rule)},
                                 {"verdict", json_text(to_string(rule.verdict))},
                                 {"detail", json_text(rule.detail)}}));
  }
  fmt::print("{}\n", json_array(items));
}

Result<> check_one(Program& program, const CheckedParticipant& wanted) {
  const Participant::Settings settings = MAKEGOOD_TRY(settings_of(wanted));
  const ParticipantCheckOptions options = MAKEGOOD_TRY(options_of(wanted));
  auto participant = MAKEGOOD_TRY(Participant::open(settings));
  const auto rules = MAKEGOOD_TRY(check_participant(participant, options));
  program.as_json ? print_rules_as_json(rules) : print_rules(rules);
  if (count_of(rules, CheckedRule::Verdict::failed) > 0) program.exit = Exit::failed;
  return {};
}

void add_http_flags(CLI::App& verb, CheckedParticipant& wanted) {
  verb.add_option("--header", wanted.headers, "Sent with each request; may be repeated")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  verb.add_option("--secret-header", wanted.secret_headers, "As in Authorization=env:MAKEGOOD_SECRET_TOKEN")
      ->type_name("NAME=REFERENCE")
      ->allow_extra_args(false);
  verb.add_option("--signing-key", wanted.signing_keys, "Signs requests, as in file:/run/secrets/shop")
      ->type_name("REFERENCE")
      ->allow_extra_args(false);
  verb.add_option("--timeout", wanted.timeout, "Of one request; default 10s")->type_name("DURATION");
}

}  // namespace

void add_saga_check_participant(CLI::App& saga, Program& program) {
  CLI::App& verb = *saga.add_subcommand("check-participant", "Test whether a participant keeps what it promises");
  const auto wanted = std::make_shared<CheckedParticipant>();
  ParticipantCheckOptions& options = wanted->options;
  verb.add_option("URL", wanted->url, "Of the action")->required()->type_name("URL");
  verb.add_option("--compensation", wanted->compensation_url, "URL of its compensation")->required()->type_name("URL");
  verb.add_option("--promise", wanted->promise, "barrier, keyed or late; default barrier")
      ->type_name("WORD")
      ->check(CLI::IsMember({"barrier", "keyed", "late"}));
  verb.add_option("--input", options.input, "Body of actions that succeed, default {}; @FILE reads it from a file")
      ->type_name("JSON");
  verb.add_option("--refused-input", options.refused_input, "Body of an action that is refused")->type_name("JSON");
  verb.add_option("--state-command", options.state_command,
                  "Prints the participant's state: shows effects, not only answers")
      ->type_name("COMMAND");
  verb.add_option("--kill-command", options.kill_command, "Kills the participant with -9 and starts it again")
      ->type_name("COMMAND");
  add_http_flags(verb, *wanted);
  verb.add_flag("--json", program.as_json, "Print JSON");
  verb.footer(
      "The action is done and undone about a dozen times: use a test system. Exit code 1 when a rule is broken.");
  run(verb, program, [&program, wanted] { return check_one(program, *wanted); });
}

}  // namespace makegood::cli
