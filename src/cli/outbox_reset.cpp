// makegood outbox reset: an empty outbox, for test fixtures.
#include <fmt/format.h>

#include <memory>

#include "cli/asking.hpp"
#include "cli/verbs.hpp"
#include "config/mistake.hpp"
#include "makegood/spi/registry.hpp"

namespace makegood::cli {
namespace {

Result<> reset_outbox(const Program& program, bool is_meant) {
  const config::Config config = MAKEGOOD_TRY(load_config(program));
  const std::string outbox = MAKEGOOD_TRY(one_outbox(config));
  const std::string question = fmt::format("Delete all messages of {}, delivered or not?", config::printable(outbox));
  if (!is_meant) MAKEGOOD_TRY(confirm(question, "Nothing was deleted."));
  MAKEGOOD_TRY(reset(config.store.url, outbox));
  fmt::print("{} is empty. Destinations and routes are as they were.\n", config::printable(outbox));
  return {};
}

}  // namespace

void add_outbox_reset(CLI::App& outbox, Program& program) {
  CLI::App& verb = *outbox.add_subcommand("reset", "Delete all messages of an outbox, for test fixtures");
  add_outbox_flags(verb, program);
  const auto is_meant = std::make_shared<bool>(false);
  verb.add_flag("--yes", *is_meant, "Yes, delete them");
  verb.footer("In one transaction, and only while no relay owns the outbox. Numbers go on from where they were.");
  run(verb, program, [&program, is_meant] { return reset_outbox(program, *is_meant); });
}

}  // namespace makegood::cli
