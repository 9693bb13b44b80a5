// makegood outbox replay|quarantine|release|unblock|rewind|answer: requests about one delivery to the owner of the
// lane, and what became of them.
#include <fmt/format.h>

#include <memory>

#include "cli/outbox.hpp"
#include "cli/verbs.hpp"
#include "config/mistake.hpp"

namespace makegood::cli {
namespace {

constexpr RequestVerb replay{RequestKind::replay, "replay", "Send a dead delivery again",
                             "sends the message again, with fresh attempts"};
constexpr RequestVerb quarantine{RequestKind::quarantine, "quarantine", "Set a delivery aside for good",
                                 "sets the delivery aside and lets the messages behind it pass"};
constexpr RequestVerb release{RequestKind::release, "release", "Bring a quarantined delivery back to the dead letters",
                              "puts the delivery back among the dead letters"};
constexpr RequestVerb unblock{
    RequestKind::unblock, "unblock", "Let the messages behind a failed delivery pass it",
    "leaves the delivery as it is and lets the messages of its key pass: their order is lost"};
constexpr RequestVerb rewind{RequestKind::rewind, "rewind", "Go on from a counter that was set back",
                             "starts again from the counter; messages may be delivered a second time"};

Result<> ask(const Program& program, const RequestVerb& verb, const NewRequest& asked) {
  const auto letters = MAKEGOOD_TRY(open_letters(program));
  if (verb.kind != RequestKind::rewind) MAKEGOOD_TRY(letters->inspect("", asked.sequence, asked.destination));
  return record(*letters, verb, asked);
}

Result<> tell_answer(const Program& program, std::int64_t id) {
  const auto letters = MAKEGOOD_TRY(open_letters(program));
  const std::optional<std::string> answer = MAKEGOOD_TRY(letters->answer_to(id));
  fmt::print("{}\n", answer ? config::printable(*answer) : "open: no owner has carried it out yet");
  return {};
}

CLI::App& add_request(CLI::App& outbox, Program& program, const RequestVerb& request) {
  CLI::App& verb = *outbox.add_subcommand(request.name, request.description);
  add_outbox_flags(verb, program);
  const auto asked = std::make_shared<NewRequest>();
  asked->kind = request.kind;
  if (request.kind != RequestKind::rewind) {
    verb.add_option("sequence", asked->sequence, "The number of the message")->required()->type_name("SEQUENCE");
    verb.add_option("destination", asked->destination, "The destination, as 'outbox dead' and 'outbox blocked' list it")
        ->required()
        ->type_name("DESTINATION");
  }
  add_request_flags(verb, *asked);
  run(verb, program, [&program, &request, asked] { return ask(program, request, *asked); });
  return verb;
}

}  // namespace

void add_outbox_requests(CLI::App& outbox, Program& program) {
  add_request(outbox, program, replay);
  add_request(outbox, program, quarantine);
  add_request(outbox, program, release);
  add_request(outbox, program, unblock)
      .footer("'outbox blocked' lists the deliveries at the head of a key. The one that is passed is still tried.");
  add_request(outbox, program, rewind).footer("For a lane that stopped with STORAGE.COUNTER_BEHIND after a restore.");

  CLI::App& answer = *outbox.add_subcommand("answer", "Tell what became of a request");
  add_outbox_flags(answer, program);
  const auto id = std::make_shared<std::int64_t>(0);
  answer.add_option("request", *id, "The number that the request got")->required()->type_name("REQUEST");
  run(answer, program, [&program, id] { return tell_answer(program, *id); });
}

}  // namespace makegood::cli
