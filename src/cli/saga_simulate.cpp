// makegood saga simulate: each step of a saga fails in each way, and what becomes of it is printed. Nobody is called.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>

#include "api/json_value.hpp"
#include "cli/apply.hpp"
#include "cli/print.hpp"
#include "cli/verbs.hpp"
#include "config/mistake.hpp"
#include "rehearsal/rehearsal.hpp"

namespace makegood::cli {
namespace {

using rehearsal::Played;
using rehearsal::Rehearsal;
using rehearsal::Situation;
using rehearsal::Tried;

struct SimulateFlags {
  std::vector<std::string> paths = {};
  std::string saga = {};
  std::string input = {};
  double coverage = 0;
  bool as_json = false;
};

std::string listed(const std::vector<std::string>& names) {
  return names.empty() ? "-" : fmt::format("{}", fmt::join(names, ", "));
}

std::string end_of(const Tried& tried) {
  if (!tried.has_happened) return "(not reached)";
  const Played& played = tried.played;
  const bool has_code = played.state == SagaState::manual || played.state == SagaState::failed;
  const std::string code = has_code && !played.code.empty() ? ": " + played.code : "";
  return std::string(to_string(played.state)) + code;
}

/// What the line of a table says, but for the attempt.
Row situation_row(const Tried& tried) {
  const Situation& situation = tried.situation;
  const bool is_back = situation.direction == core::Direction::compensation;
  const std::string how(way_text(situation));
  std::vector<std::string> open = tried.played.open;
  std::ranges::copy(tried.played.left, std::back_inserter(open));
  return {situation.step.empty() ? "-" : situation.step,
          is_back ? "compensation" : "action",
          "",
          situation.code.empty() ? how : fmt::format("{} {}", how, situation.code),
          end_of(tried),
          listed(tried.played.undone),
          listed(open)};
}

/// Attempts that end alike are one line.
std::vector<Row> lines_of(const Rehearsal& rehearsal) {
  std::vector<Row> rows;
  Row last;
  std::uint32_t first = 0;
  for (const Tried& tried : rehearsal.tried) {
    const Situation& situation = tried.situation;
    const bool is_call = situation.kind == Situation::Kind::call;
    Row row = situation_row(tried);
    const bool goes_on = is_call && !situation.is_to_the_end && situation.attempt > 1 && row == last;
    if (goes_on) {
      rows.back()[2] = fmt::format("{}-{}", first, situation.attempt);
      continue;
    }
    last = row;
    first = situation.attempt;
    row[2] = !is_call ? "-" : situation.is_to_the_end ? "all" : std::to_string(first);
    rows.push_back(std::move(row));
  }
  return rows;
}

void print_as_text(const std::string& name, const Rehearsal& rehearsal) {
  fmt::print("{}: {} situations, {} tried ({:.1f} %)\n\n", config::printable(name), rehearsal.tried.size(),
             rehearsal.happened(), rehearsal.coverage());
  print_table({"STEP", "CALL", "ATTEMPT", "HOW", "ENDS", "UNDONE", "OPEN"}, lines_of(rehearsal));
  for (const Tried& tried : rehearsal.tried) {
    if (!tried.has_happened) fmt::print("Not tried: {}.\n", config::printable(to_string(tried.situation)));
  }
}

std::string names_json(const std::vector<std::string>& names) {
  std::vector<std::string> texts;
  for (const std::string& name : names) texts.push_back(json_text(name));
  return "[" + fmt::format("{}", fmt::join(texts, ",")) + "]";
}

std::string tried_json(const Tried& tried) {
  const Situation& situation = tried.situation;
  const Played& played = tried.played;
  return json_object({{"step", json_text(situation.step)},
                      {"direction", json_text(core::to_string(situation.direction))},
                      {"attempt", std::to_string(situation.attempt)},
                      {"to_the_end", situation.is_to_the_end ? "true" : "false"},
                      {"how", json_text(way_text(situation))},
                      {"code", json_text(situation.code)},
                      {"tried", tried.has_happened ? "true" : "false"},
                      {"state", json_text(to_string(played.state))},
                      {"failure", json_text(played.code)},
                      {"undone", names_json(played.undone)},
                      {"open", names_json(played.open)},
                      {"left", names_json(played.left)},
                      {"skipped", names_json(played.skipped)},
                      {"calls", std::to_string(played.calls)}});
}

std::string as_json(const std::string& name, const Rehearsal& rehearsal) {
  std::vector<std::string> cases;
  for (const Tried& tried : rehearsal.tried) cases.push_back(tried_json(tried));
  return json_object({{"saga", json_text(name)},
                      {"situations", std::to_string(rehearsal.tried.size())},
                      {"tried", std::to_string(rehearsal.happened())},
                      {"coverage", fmt::format("{:.2f}", rehearsal.coverage())},
                      {"cases", json_array(cases)}});
}

bool has_left_anything(const Rehearsal& rehearsal) {
  return std::ranges::any_of(rehearsal.tried, [](const Tried& tried) { return !tried.played.left.empty(); });
}

Result<std::vector<WantedSaga>> sagas_of(const SimulateFlags& flags) {
  std::vector<WantedSaga> sagas = MAKEGOOD_TRY(read_wanted(flags.paths, config::process_environment())).sagas;
  if (!flags.saga.empty()) std::erase_if(sagas, [&](const WantedSaga& saga) { return saga.name != flags.saga; });
  if (!sagas.empty()) return sagas;
  return Error{Errc::not_found, flags.saga.empty() ? std::string("There is no saga in these files.")
                                                   : fmt::format("There is no saga '{}' in these files.", flags.saga)};
}

Result<> simulate(Program& program, const SimulateFlags& flags) {
  if (!flags.input.empty() && !api::is_json(flags.input)) return Error{Errc::invalid, "--input is not JSON."};
  std::vector<std::string> told;
  for (const WantedSaga& saga : MAKEGOOD_TRY(sagas_of(flags))) {
    const Rehearsal rehearsal = MAKEGOOD_TRY(rehearsal::rehearse(saga.read.definition, flags.input));
    if (flags.as_json) {
      told.push_back(as_json(saga.name, rehearsal));
    } else {
      print_as_text(saga.name, rehearsal);
    }
    const bool is_enough = rehearsal.coverage() >= flags.coverage;
    if (!is_enough || has_left_anything(rehearsal)) program.exit = Exit::failed;
    if (!is_enough)
      warn(fmt::format("{}: {:.1f} % is below --coverage {}.", saga.name, rehearsal.coverage(), flags.coverage));
  }
  if (flags.as_json) fmt::print("{}\n", json_array(told));
  return {};
}

}  // namespace

void add_saga_simulate(CLI::App& saga, Program& program) {
  CLI::App& verb = *saga.add_subcommand(
      "simulate", "Let each step of a saga fail in each way, and tell how it ends; nobody is called");
  const auto flags = std::make_shared<SimulateFlags>();
  verb.add_option("FILE", flags->paths, "As for apply, or one saga alone; YAML or JSON")
      ->type_name("FILE|DIR")
      ->required();
  verb.add_option("--saga", flags->saga, "Only this one of them")->type_name("NAME");
  verb.add_option("--input", flags->input, "Of the executions; made up if it is left out")->type_name("JSON");
  verb.add_option("--coverage", flags->coverage, "Fail if less than so many per cent of what can happen was tried")
      ->type_name("PERCENT")
      ->check(CLI::Range(0.0, 100.0));
  verb.add_flag("--json", flags->as_json, "Print JSON");
  verb.footer(
      "The executions are carried out by the same code as in production, over a store in memory; participants answer "
      "as\n"
      "they are told, and time passes as it is needed. error: certainly not done. refusal: not done, may be tried "
      "again.\n"
      "unknown: done, and nobody heard of it. crash: done, and the owner dies before it hears of it. Exit code 1 "
      "below\n"
      "--coverage, and when something is left that should have been undone.");
  run(verb, program, [&program, flags] { return simulate(program, *flags); });
}

}  // namespace makegood::cli
