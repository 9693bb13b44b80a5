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

void add_request_flags(CLI::App& verb, NewRequest& asked) {
  verb.add_option("--operator", asked.operator_name, "Who asks; kept with the request")
      ->type_name("NAME")
      ->envname("USER")
      ->required();
  const bool is_reason_required = asked.kind == RequestKind::rewind;
  verb.add_option("--reason", asked.reason, "Why; kept with the request")
      ->type_name("TEXT")
      ->required(is_reason_required);
}

Result<> record(DeadLetterStore& letters, const RequestVerb& verb, const NewRequest& asked) {
  const std::int64_t id = MAKEGOOD_TRY(letters.request(asked));
  fmt::print("Request {} is recorded. With its next turn the owner of the lane {}.\n", id, verb.next);
  fmt::print("'makegood outbox answer {}' tells what became of it.\n", id);
  return {};
}

std::string time_text(TimePoint time) {
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}Z", fmt::gmtime(std::chrono::floor<std::chrono::seconds>(time)));
}

void add_outbox(CLI::App& app, Program& program) {
  CLI::App& verb = *app.add_subcommand("outbox", "Look at lanes, dead letters and blocked keys, and act on them");
  verb.require_subcommand(1);
  add_outbox_lists(verb, program);
  add_outbox_lanes(verb, program);
  add_outbox_routes(verb, program);
  add_outbox_scopes(verb, program);
  add_outbox_requests(verb, program);
}

}  // namespace makegood::cli
