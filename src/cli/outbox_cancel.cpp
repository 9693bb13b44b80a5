// makegood outbox cancel: a message that is not to be sent.
#include <memory>

#include "cli/asking.hpp"
#include "cli/client.hpp"
#include "cli/url_text.hpp"
#include "cli/verbs.hpp"

namespace makegood::cli {
namespace {

constexpr Asking cancelling_one{"cancel", "Send nothing more of a message that was not delivered",
                                "sends nothing more of it; 'makegood outbox show' tells who cancelled it and why"};

struct CancelledOne {
  std::string message = {};
  std::string tenant = {};
  std::string reason = {};
};

Result<> cancel_one(const Program& program, const CancelledOne& one) {
  const auto client = MAKEGOOD_TRY(Client::open(program));
  const std::string below = "/messages/" + percent_encoded(one.message) + "/cancel";
  const std::string body = body_of([&](api::Writer& writer) {
    put_if(writer, "tenant_id", one.tenant);
    put_if(writer, "reason", one.reason);
  });
  return tell_asked(program, cancelling_one, MAKEGOOD_TRY(client->send_to_outbox("POST", below, body)));
}

}  // namespace

void add_outbox_cancel(CLI::App& outbox, Program& program) {
  CLI::App& verb = *outbox.add_subcommand(cancelling_one.name, cancelling_one.description);
  add_call_flags(verb, program);
  const auto one = std::make_shared<CancelledOne>();
  verb.add_option("message", one->message, "Its number or its event id")->required()->type_name("MESSAGE");
  verb.add_option("--tenant", one->tenant, "Whose event it is, if several tenants have one with this id")
      ->type_name("TENANT");
  add_asking_flags(verb, program, one->reason, Reason::required);
  verb.footer(
      "What is being sent at that moment cannot be taken back; the answer says so. What is left is a delivery in\n"
      "quarantine with the code TX.CANCELLED: 'dead release' and 'dead replay' send it after all.");
  run(verb, program, [&program, one] { return cancel_one(program, *one); });
}

}  // namespace makegood::cli
