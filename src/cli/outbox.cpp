// makegood outbox: what an operator sees of an outbox, and asks of its owner.
#include "cli/verbs.hpp"

namespace makegood::cli {

void add_outbox(CLI::App& app, Program& program) {
  CLI::App& verb = *app.add_subcommand("outbox", "Look at messages and lanes, enqueue, pause, unblock");
  verb.require_subcommand(1);
  add_outbox_list(verb, program);
  add_outbox_show(verb, program);
  add_outbox_enqueue(verb, program);
  add_outbox_tail(verb, program);
  add_outbox_blocked(verb, program);
  add_outbox_scopes(verb, program);
  add_outbox_cancel(verb, program);
  add_outbox_requests(verb, program);
  add_outbox_lanes(verb, program);
  add_outbox_routes(verb, program);
  add_outbox_reset(verb, program);
}

}  // namespace makegood::cli
