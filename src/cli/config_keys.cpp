// makegood config keys: the table of keys, and the reference page made from it.
#include <fmt/format.h>

#include <memory>

#include "cli/print.hpp"
#include "cli/verbs.hpp"
#include "config/value.hpp"

namespace makegood::cli {
namespace {

constexpr const char* page_head =
    "# Configuration keys\n"
    "\n"
    "Made by `makegood config keys --markdown`. How file, environment and flags work together is told in\n"
    "[Configuration](../configuration.md).\n"
    "\n"
    "Every key can be set by a variable of its name: `tx.outbox.batch` is `MAKEGOOD_TX_OUTBOX_BATCH`. Some have a\n"
    "second variable, where durations are written with a unit (`30s`). Keys marked *reload* can be changed while the\n"
    "process runs; the others need a restart.\n";

std::string default_of(const config::Key& key) {
  const std::string text = config::text_of(key, config::Config{});
  return text.empty() ? "(empty)" : text;
}

void print_markdown(const config::Key& key) {
  fmt::print("\n## `{}`\n\n{}\n\n", key.name, key.description);
  fmt::print("- {}{}, default `{}`\n", config::type_name(key), key.is_reloadable ? ", *reload*" : "", default_of(key));
  fmt::print("- allowed: {}\n", config::allowed(key));
  if (key.is_for_new)
    fmt::print("- for destinations that are put from then on; those in the store keep what they have\n");
  fmt::print("- variable: `{}`", config::variable_of(key));
  if (!key.alias.empty()) fmt::print(" or `{}`", key.alias);
  fmt::print("\n");
}

void list(bool as_markdown) {
  if (as_markdown) {
    fmt::print("{}", page_head);
    for (const config::Key& key : config::keys()) print_markdown(key);
    return;
  }
  std::vector<Row> rows;
  for (const config::Key& key : config::keys()) {
    rows.push_back(
        {std::string(key.name), default_of(key), key.is_reloadable ? "yes" : "no", std::string(key.description)});
  }
  print_table({"KEY", "DEFAULT", "RELOAD", "MEANING"}, rows);
}

}  // namespace

void add_config_keys(CLI::App& config, Program& program) {
  CLI::App& verb = *config.add_subcommand("keys", "List all keys with their defaults");
  const auto as_markdown = std::make_shared<bool>(false);
  verb.add_flag("--markdown", *as_markdown, "The whole reference page, with ranges and variables");
  run(verb, program, [as_markdown]() -> Result<> {
    list(*as_markdown);
    return {};
  });
}

}  // namespace makegood::cli
