// makegood adopt: a copy of a database becomes the real one.
#include <fmt/format.h>

#include "cli/verbs.hpp"
#include "config/mistake.hpp"
#include "makegood/spi/registry.hpp"

namespace makegood::cli {
namespace {

Result<> adopt_store(const Program& program) {
  const config::Config config = MAKEGOOD_TRY(load_config(program));
  // Each may be in a schema of its own.
  for (const std::string& outbox : config.store.outboxes)
    MAKEGOOD_TRY(adopt(config.store.url, outbox, config.store.environment));
  fmt::print(
      "{} is adopted: its messages are sent from now on. Make sure that the original no longer sends them too.\n",
      config::printable(config::masked_url(config.store.url)));
  return {};
}

}  // namespace

void add_adopt(CLI::App& app, Program& program) {
  CLI::App& verb = *app.add_subcommand("adopt", "Accept a restored or copied store as the real one");
  add_store_flags(verb, program);
  verb.footer("A copy sends nothing until it is adopted, so that a clone in staging does not repeat what was sent.");
  run(verb, program, [&program] { return adopt_store(program); });
}

}  // namespace makegood::cli
