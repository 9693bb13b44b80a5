// makegood saga: its verbs; and those about what is defined, and whether a document is right.
#include <fmt/format.h>

#include <memory>

#include "api/saga_document.hpp"
#include "api/saga_schema.hpp"
#include "base/saga_drawing.hpp"
#include "cli/age.hpp"
#include "cli/apply.hpp"
#include "cli/client.hpp"
#include "cli/json_view.hpp"
#include "cli/print.hpp"
#include "cli/verbs.hpp"
#include "config/mistake.hpp"

namespace makegood::cli {
namespace {

struct DefinitionFlags {
  std::string name = {};
  std::string as = {};  ///< How one is drawn; empty: as a table.
  std::int64_t version = 0;
};

struct CheckFlags {
  std::vector<std::string> paths = {};
  std::string as = {};
};

void print_definitions(const Json& list) {
  std::vector<Row> rows;
  for (const Json& one : array_at(list, "items").GetArray()) {
    rows.push_back({cell(one, "name"), cell(one, "version"), cell(one, "step_count"),
                    ago_cell(one, "created_at", system_clock().now())});
  }
  if (rows.empty()) return fmt::print("No saga is defined. 'makegood apply -f FILE' defines those of a file.\n");
  print_table({"SAGA", "VERSION", "STEPS", "DEFINED"}, rows);
}

std::string undone_by(const Json& step) {
  if (flag_at(step, "is_pivot")) return "(the pivot)";
  if (flag_at(step, "has_no_effect")) return "(no effect)";
  return cell(step, "compensation");
}

void print_definition(const Json& one) {
  fmt::print("{}, version {}, defined {}\n\n", config::printable(text_at(one, "name")), number_at(one, "version"),
             text_at(one, "created_at"));
  std::vector<Row> rows;
  for (const Json& step : array_at(one, "steps").GetArray()) {
    rows.push_back(
        {std::to_string(number_at(step, "group") + 1), cell(step, "name"), cell(step, "action"), undone_by(step)});
  }
  print_table({"GROUP", "STEP", "ACTION", "UNDONE BY"}, rows);
}

Result<> draw_definition(const Json& one, const std::string& as) {
  const SagaDefinition definition = MAKEGOOD_TRY(api::saga_from_json(json_of(object_at(one, "document"))));
  fmt::print("{}", as == "tree" ? drawn_as_tree(definition) : drawn_as_mermaid(definition));
  return {};
}

Result<> show_definitions(const Program& program, const DefinitionFlags& flags) {
  const auto client = MAKEGOOD_TRY(Client::open(program));
  const std::string query = flags.version == 0 ? "" : fmt::format("version={}", flags.version);
  const std::string answer = flags.name.empty() ? MAKEGOOD_TRY(client->get("/api/saga/definitions"))
                                                : MAKEGOOD_TRY(client->get(saga_path(flags.name), query));
  if (program.as_json) {
    fmt::print("{}\n", answer);
    return {};
  }
  const auto told = MAKEGOOD_TRY(parse_answer(answer));
  if (!flags.as.empty()) return draw_definition(told, flags.as);
  flags.name.empty() ? print_definitions(told) : print_definition(told);
  return {};
}

std::string counted(std::size_t count, std::string_view thing) {
  return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

/// Of files that have no mistakes.
void draw_files(const FilesRead& read, const std::string& as) {
  for (const WantedSaga& saga : read.wanted.sagas) {
    fmt::print("{}", as == "tree" ? drawn_as_tree(saga.read.definition) : drawn_as_mermaid(saga.read.definition));
  }
}

/// Mistakes go to the usual output here: they are what was asked for.
Result<> check_files(Program& program, const CheckFlags& flags) {
  const FilesRead read = MAKEGOOD_TRY(read_files(flags.paths, config::process_environment()));
  for (const config::Mistake& mistake : read.mistakes) fmt::print("{}\n", config::to_string(mistake));
  if (read.mistakes.empty() && !flags.as.empty()) {
    draw_files(read, flags.as);
    return {};
  }
  fmt::print("{}, {}\n", counted(read.wanted.sagas.size(), "saga"), counted(read.mistakes.size(), "mistake"));
  if (!read.mistakes.empty()) program.exit = Exit::configuration;
  return {};
}

void add_definitions(CLI::App& saga, Program& program) {
  CLI::App& verb = *saga.add_subcommand("definitions", "List the sagas that are defined, or show one");
  add_call_flags(verb, program);
  const auto flags = std::make_shared<DefinitionFlags>();
  CLI::Option* name = verb.add_option("NAME", flags->name, "One of them, with its steps");
  verb.add_option("--version", flags->version, "A version of it; the newest if it is left out")
      ->type_name("N")
      ->check(CLI::PositiveNumber);
  verb.add_option("--as", flags->as, "Draw it: tree or mermaid")
      ->type_name("FORM")
      ->check(CLI::IsMember({"tree", "mermaid"}))
      ->needs(name);
  verb.footer("With --json and a NAME, document is what was put: it can be changed and applied again.");
  run(verb, program, [&program, flags] { return show_definitions(program, *flags); });
}

void add_check(CLI::App& saga, Program& program) {
  CLI::App& verb = *saga.add_subcommand("check", "Tell all mistakes in files with sagas; nothing is changed");
  const auto flags = std::make_shared<CheckFlags>();
  verb.add_option("FILE", flags->paths, "As for apply, or one saga alone; YAML or JSON")
      ->type_name("FILE|DIR")
      ->required();
  verb.add_option("--as", flags->as, "Draw them, if there are none: tree or mermaid")
      ->type_name("FORM")
      ->check(CLI::IsMember({"tree", "mermaid"}));
  verb.footer("Exit code 3 when there are mistakes.");
  run(verb, program, [&program, flags] { return check_files(program, *flags); });
}

void add_schema(CLI::App& saga, Program& program) {
  CLI::App& verb = *saga.add_subcommand("schema", "Print the JSON Schema of a saga's document, for editors");
  const auto as_markdown = std::make_shared<bool>(false);
  verb.add_flag("--markdown", *as_markdown, "The whole reference page instead");
  run(verb, program, [as_markdown]() -> Result<> {
    fmt::print("{}", *as_markdown ? api::saga_page() : api::saga_schema());
    return {};
  });
}

}  // namespace

void add_saga(CLI::App& app, Program& program) {
  CLI::App& verb = *app.add_subcommand("saga", "Sagas: business transactions over several services");
  verb.require_subcommand(1);
  add_saga_start(verb, program);
  add_saga_show(verb, program);
  add_saga_watch(verb, program);
  add_saga_list(verb, program);
  add_saga_journal(verb, program);
  add_saga_bulk(verb, program);
  add_saga_keys(verb, program);
  add_saga_failures(verb, program);
  add_saga_stats(verb, program);
  add_saga_requests(verb, program);
  add_saga_event(verb, program);
  add_definitions(verb, program);
  add_check(verb, program);
  add_saga_check_participant(verb, program);
  add_saga_lint(verb, program);
  add_saga_simulate(verb, program);
  add_schema(verb, program);
}

}  // namespace makegood::cli
