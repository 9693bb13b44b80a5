// makegood outbox: what an operator sees of an outbox, and asks of its owner.
#include "cli/verbs.hpp"

namespace makegood::cli {

void add_outbox(CLI::App& app, Program& program) {
  CLI::App& verb = *app.add_subcommand("outbox", "Look at dead letters and blocked keys, and act on them");
  verb.require_subcommand(1);
  add_outbox_lists(verb, program);
  add_outbox_requests(verb, program);
}

}  // namespace makegood::cli
