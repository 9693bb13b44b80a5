// makegood outbox: what an operator sees of an outbox, and asks of its owner.
#include "cli/outbox.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "cli/verbs.hpp"
#include "makegood/registry.hpp"

namespace makegood::cli {

Result<std::unique_ptr<DeadLetterStore>> open_letters(const Program& program) {
  const config::Config config = MAKEGOOD_TRY(load_config(program));
  return open_dead_letters(config.store.url, MAKEGOOD_TRY(one_outbox(config)));
}

std::string time_text(TimePoint time) {
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}Z", fmt::gmtime(std::chrono::floor<std::chrono::seconds>(time)));
}

void add_outbox(CLI::App& app, Program& program) {
  CLI::App& verb = *app.add_subcommand("outbox", "Look at messages and lanes, enqueue, pause, unblock");
  verb.require_subcommand(1);
  add_outbox_list(verb, program);
  add_outbox_show(verb, program);
  add_outbox_enqueue(verb, program);
  add_outbox_tail(verb, program);
  add_outbox_blocked(verb, program);
  add_outbox_scopes(verb, program);
  add_outbox_requests(verb, program);
  add_outbox_lanes(verb, program);
  add_outbox_routes(verb, program);
}

}  // namespace makegood::cli
