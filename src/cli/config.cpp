// makegood config: what this process would be told, and whether it is right.
#include <fmt/format.h>

#include <memory>

#include "cli/print.hpp"
#include "cli/verbs.hpp"
#include "config/value.hpp"

namespace makegood::cli {
namespace {

std::string count_of(std::size_t count, std::string_view thing) {
  return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

/// Mistakes go to the usual output here: they are what was asked for.
Result<> check(Program& program) {
  const config::Sources sources = MAKEGOOD_TRY(sources_of(program));
  const config::Findings findings = config::load(sources).findings;
  for (const config::Mistake& mistake : findings.mistakes) fmt::print("mistake: {}\n", config::to_string(mistake));
  for (const config::Mistake& warning : findings.warnings) fmt::print("warning: {}\n", config::to_string(warning));
  fmt::print("{}: {}, {}\n", config::printable(sources.file.value_or("no file")),
             count_of(findings.mistakes.size(), "mistake"), count_of(findings.warnings.size(), "warning"));
  if (!findings.mistakes.empty()) program.exit = Exit::configuration;
  return {};
}

void show_json(const config::Config& config) {
  std::vector<std::string> lines;
  for (const config::Key& key : config::keys()) {
    lines.push_back(json_object({{"key", json_text(key.name)},
                                 {"value", json_text(config::shown(key, config))},
                                 {"from", json_text(config::to_string(config::origin_of(config, key.name)))}}));
  }
  fmt::print("{}\n", json_array(lines));
}

void show_table(const config::Config& config) {
  std::vector<Row> rows;
  for (const config::Key& key : config::keys()) {
    rows.push_back(
        {std::string(key.name), config::shown(key, config), config::to_string(config::origin_of(config, key.name))});
  }
  print_table({"KEY", "VALUE", "FROM"}, rows);
}

Result<> show(const Program& program, bool as_json) {
  const config::Config config = MAKEGOOD_TRY(load_config(program));
  if (as_json) {
    show_json(config);
  } else {
    show_table(config);
  }
  return {};
}

}  // namespace

void add_config(CLI::App& app, Program& program) {
  CLI::App& verb = *app.add_subcommand("config", "Check and show the configuration");
  verb.require_subcommand(1);

  CLI::App& checking = *verb.add_subcommand("check", "Tell all mistakes in file, environment and flags");
  add_config_flags(checking, program);
  run(checking, program, [&program] { return check(program); });

  CLI::App& showing = *verb.add_subcommand("show", "Print each key, its value and where it comes from");
  add_config_flags(showing, program);
  const auto as_json = std::make_shared<bool>(false);
  showing.add_flag("--json", *as_json, "For programs");
  run(showing, program, [&program, as_json] { return show(program, *as_json); });

  add_config_keys(verb, program);
  add_config_watch(verb, program);
}

}  // namespace makegood::cli
