// makegood outbox pause|resume|history|cancel-history: about all that goes to a destination, or to a tenant at it.
#include <fmt/format.h>

#include <memory>

#include "cli/asking.hpp"
#include "cli/client.hpp"
#include "cli/verbs.hpp"

namespace makegood::cli {
namespace {

constexpr Asking pausing{"pause", "Send nothing more to a destination, or for one tenant at it",
                         "stops sending there; what comes meanwhile waits in a side lane and costs no attempts"};
constexpr Asking resuming{"resume", "Send again to what was paused, in order",
                          "sends again, beginning where it was paused"};
constexpr Asking history{"history", "Deliver again what was delivered, or backfill a new destination",
                         "begins to deliver again; 'makegood outbox lanes' shows how far it is"};
constexpr Asking cancelling{"cancel-history", "End a replay of history before it is through",
                            "ends the replay; what is being sent at that moment still is"};

struct AboutScope {
  std::string destination = {};
  std::string tenant = {};
  Sequence from = 0;
  Sequence until = 0;
  std::string reason = {};
};

std::string scope_body(const AboutScope& about) {
  return body_of([&](api::Writer& writer) {
    api::put(writer, "destination", std::string_view(about.destination));
    put_if(writer, "tenant_id", about.tenant);
    if (about.from > 0) api::put(writer, "from", about.from);
    if (about.until > 0) api::put(writer, "until", about.until);
    put_if(writer, "reason", about.reason);
  });
}

Result<> ask_about_scope(const Program& program, const Asking& asking, const AboutScope& about) {
  const auto client = MAKEGOOD_TRY(Client::open(program));
  const std::string below = fmt::format("/{}", &asking == &cancelling ? "cancel" : asking.name);
  return tell_asked(program, asking, MAKEGOOD_TRY(client->send_to_outbox("POST", below, scope_body(about))));
}

void add_range(CLI::App& verb, AboutScope& about) {
  verb.add_option("--from", about.from, "The first message; default: the oldest that is kept")
      ->type_name("SEQUENCE")
      ->check(CLI::PositiveNumber);
  verb.add_option("--until", about.until, "The last message; default: all up to now, or to its first own message")
      ->type_name("SEQUENCE")
      ->check(CLI::PositiveNumber);
}

CLI::App& add_scope_request(CLI::App& outbox, Program& program, const Asking& asking) {
  CLI::App& verb = *outbox.add_subcommand(asking.name, asking.description);
  add_call_flags(verb, program);
  const auto about = std::make_shared<AboutScope>();
  verb.add_option("destination", about->destination, "The destination, as 'destinations list' has it")
      ->required()
      ->type_name("DESTINATION");
  verb.add_option("--tenant", about->tenant, "Only this tenant's messages")->type_name("TENANT");
  if (&asking == &history) add_range(verb, *about);
  add_asking_flags(verb, program, about->reason);
  run(verb, program, [&program, &asking, about] { return ask_about_scope(program, asking, *about); });
  return verb;
}

}  // namespace

void add_outbox_scopes(CLI::App& outbox, Program& program) {
  add_scope_request(outbox, program, pausing);
  add_scope_request(outbox, program, resuming);
  add_scope_request(outbox, program, history)
      .footer(
          "Every message of the range is sent once more, beside normal traffic, with the same event_id.\n"
          "This is also the backfill of a new destination: without --until it gets what came before its first route.");
  add_scope_request(outbox, program, cancelling);
}

}  // namespace makegood::cli
