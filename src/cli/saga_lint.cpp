// makegood saga lint: what is wrong in files with sagas, and what is probably not meant.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>

#include "api/json_value.hpp"
#include "base/saga_calls.hpp"
#include "cli/apply.hpp"
#include "cli/print.hpp"
#include "cli/verbs.hpp"
#include "cli/yaml_node.hpp"
#include "config/mistake.hpp"
#include "core/saga/participants.hpp"

namespace makegood::cli {
namespace {

struct LintFlags {
  std::vector<std::string> paths = {};
  std::string input = {};
  bool as_json = false;
};

struct FileFinding {
  LintSeverity severity = LintSeverity::error;
  std::string_view rule = "mistake";
  config::Mistake at;
};

FileFinding in_file(const WantedSaga& saga, const api::DocumentFinding& found) {
  const api::TextPlace place = found.at.place;
  return {found.severity,
          found.rule,
          {.where = {config::Origin::Kind::file, saga.file, place.line, place.column},
           .key = found.at.pointer,
           .problem = found.at.problem,
           .excerpt = excerpt_of(*saga.text, place)}};
}

/// Of files that have destinations: a step that names another one waits until somebody registers it.
class DestinationLint {
 public:
  DestinationLint(const Wanted& wanted, std::vector<FileFinding>& findings) : findings_(findings) {
    for (const WantedOutbox& outbox : wanted.outboxes) names_.merge(destination_names(outbox));
  }

  void look_at(const WantedSaga& saga) {
    if (names_.empty() || !saga.read.mistakes.empty()) return;
    const auto& steps = saga.read.definition.steps;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      look_at(saga, i, "action", &steps[i].action);
      look_at(saga, i, "compensation", steps[i].compensation ? &*steps[i].compensation : nullptr);
      look_at(saga, i, "check", steps[i].check ? &*steps[i].check : nullptr);
    }
  }

 private:
  void look_at(const WantedSaga& saga, std::size_t step, const char* field, const SagaCall* call) {
    if (call == nullptr || saga_call_kind(call->uri) != SagaCallKind::participant) return;
    if (call->uri.starts_with("fn:") || call->uri.find("://") != std::string::npos) return;
    const std::string name(core::participant_of(call->uri).destination);
    if (names_.contains(name)) return;
    const api::FieldPlaces::Spot spot = saga.read.places.find(step, field);
    const std::string problem = fmt::format(
        "calls {}, which is no destination of these files; the step waits until somebody registers it", name);
    findings_.push_back(
        in_file(saga, {LintSeverity::warning, "unknown_destination", {spot.pointer, spot.place, problem}}));
  }

  std::set<std::string> names_;
  std::vector<FileFinding>& findings_;
};

std::vector<FileFinding> findings_in(const FilesRead& files, const std::string& input) {
  std::vector<FileFinding> findings;
  for (const config::Mistake& mistake : files.mistakes) findings.push_back({.at = mistake});
  DestinationLint destinations(files.wanted, findings);
  for (const WantedSaga& saga : files.wanted.sagas) {
    destinations.look_at(saga);
    for (const api::DocumentFinding& found : api::lint(saga.read, input)) findings.push_back(in_file(saga, found));
  }
  std::ranges::stable_sort(findings, {}, [](const FileFinding& found) {
    return std::tuple(found.at.where.name, found.at.where.line, found.at.where.column);
  });
  return findings;
}

std::size_t findings_of(const std::vector<FileFinding>& findings, LintSeverity severity) {
  return static_cast<std::size_t>(std::ranges::count(findings, severity, &FileFinding::severity));
}

std::string finding_json(const FileFinding& found) {
  const config::Origin& where = found.at.where;
  const std::string problem = found.at.advice.empty() ? found.at.problem : found.at.problem + "; " + found.at.advice;
  return json_object({{"severity", json_text(to_string(found.severity))},
                      {"rule", json_text(found.rule)},
                      {"file", json_text(where.name)},
                      {"line", std::to_string(where.line)},
                      {"column", std::to_string(where.column)},
                      {"pointer", json_text(found.at.key)},
                      {"problem", json_text(problem)}});
}

std::string saga_json(const WantedSaga& saga) {
  std::vector<std::string> parameters;
  for (const std::string& path : parameters_of(saga.read.definition)) parameters.push_back(json_text(path));
  return json_object({{"name", json_text(saga.name)},
                      {"file", json_text(saga.file)},
                      {"parameters", "[" + fmt::format("{}", fmt::join(parameters, ",")) + "]"}});
}

void print_as_json(const FilesRead& files, const std::vector<FileFinding>& findings) {
  std::vector<std::string> lines;
  for (const FileFinding& found : findings) lines.push_back(finding_json(found));
  std::vector<std::string> sagas;
  for (const WantedSaga& saga : files.wanted.sagas) sagas.push_back(saga_json(saga));
  fmt::print("{}\n", json_object({{"sagas", json_array(sagas)}, {"findings", json_array(lines)}}));
}

void print_as_text(const FilesRead& files, const std::vector<FileFinding>& findings) {
  for (const FileFinding& found : findings) {
    config::Mistake told = found.at;
    const std::size_t end = told.problem.size();
    told.problem.insert(end, fmt::format(" [{}: {}]", to_string(found.severity), found.rule));
    fmt::print("{}\n", config::to_string(told));
  }
  fmt::print("sagas: {}, errors: {}, warnings: {}, notes: {}\n", files.wanted.sagas.size(),
             findings_of(findings, LintSeverity::error), findings_of(findings, LintSeverity::warning),
             findings_of(findings, LintSeverity::note));
}

Result<> lint_files(Program& program, const LintFlags& flags) {
  if (!flags.input.empty() && !api::is_json(flags.input)) return Error{Errc::invalid, "--input is not JSON."};
  const FilesRead files = MAKEGOOD_TRY(read_files(flags.paths, config::process_environment()));
  const std::vector<FileFinding> findings = findings_in(files, flags.input);
  flags.as_json ? print_as_json(files, findings) : print_as_text(files, findings);
  if (findings_of(findings, LintSeverity::warning) > 0) program.exit = Exit::failed;
  if (findings_of(findings, LintSeverity::error) > 0) program.exit = Exit::configuration;
  return {};
}

}  // namespace

void add_saga_lint(CLI::App& saga, Program& program) {
  CLI::App& verb =
      *saga.add_subcommand("lint", "Tell all mistakes in files with sagas, and what is probably not meant");
  const auto flags = std::make_shared<LintFlags>();
  verb.add_option("FILE", flags->paths, "As for apply, or one saga alone; YAML or JSON")
      ->type_name("FILE|DIR")
      ->required();
  verb.add_option("--input", flags->input, "What a start has: tell which templates find nothing in it")
      ->type_name("JSON");
  verb.add_flag("--json", flags->as_json, "Print JSON");
  verb.footer(
      "Nothing is changed, and no server is asked. Exit code 3 when there are errors, 1 when there are warnings;\n"
      "notes do not count. A destination that no file names is told only where files have destinations.");
  run(verb, program, [&program, flags] { return lint_files(program, *flags); });
}

}  // namespace makegood::cli
