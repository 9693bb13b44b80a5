// makegood outbox replay|quarantine|release|rewind|answer: requests to the owner of the lane, and what became of them.
#include <fmt/format.h>

#include <memory>

#include "cli/verbs.hpp"
#include "config/mistake.hpp"
#include "makegood/registry.hpp"

namespace makegood::cli {
namespace {

struct RequestVerb {
  RequestKind kind;
  const char* name;
  const char* description;
  const char* next;  ///< What happens next, as the end of a sentence.
};

constexpr RequestVerb replay{RequestKind::replay, "replay", "Send a dead delivery again",
                             "sends the message again, with fresh attempts"};
constexpr RequestVerb quarantine{RequestKind::quarantine, "quarantine", "Set a delivery aside for good",
                                 "sets the delivery aside and lets the messages behind it pass"};
constexpr RequestVerb release{RequestKind::release, "release", "Bring a quarantined delivery back to the dead letters",
                              "puts the delivery back among the dead letters"};
constexpr RequestVerb rewind{RequestKind::rewind, "rewind", "Go on from a counter that was set back",
                             "starts again from the counter; messages may be delivered a second time"};

Result<std::unique_ptr<DeadLetterStore>> open_letters(const Program& program) {
  const config::Config config = MAKEGOOD_TRY(load_config(program));
  return open_dead_letters(config.store.url, MAKEGOOD_TRY(one_outbox(config)));
}

Result<> ask(const Program& program, const RequestVerb& verb, const NewRequest& asked) {
  const auto letters = MAKEGOOD_TRY(open_letters(program));
  if (verb.kind != RequestKind::rewind) MAKEGOOD_TRY(letters->inspect("", asked.sequence, asked.destination));
  const std::int64_t id = MAKEGOOD_TRY(letters->request(asked));
  fmt::print("Request {} is recorded. With its next turn the owner of the lane {}.\n", id, verb.next);
  fmt::print("'makegood outbox answer {}' tells what became of it.\n", id);
  return {};
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
  const bool is_rewind = request.kind == RequestKind::rewind;
  if (!is_rewind) {
    verb.add_option("sequence", asked->sequence, "The number of the message")->required()->type_name("SEQUENCE");
    verb.add_option("destination", asked->destination, "The destination, as 'outbox dead' lists it")
        ->required()
        ->type_name("DESTINATION");
  }
  verb.add_option("--operator", asked->operator_name, "Who asks; kept with the request")
      ->type_name("NAME")
      ->envname("USER")
      ->required();
  verb.add_option("--reason", asked->reason, "Why; kept with the request")->type_name("TEXT")->required(is_rewind);
  run(verb, program, [&program, &request, asked] { return ask(program, request, *asked); });
  return verb;
}

}  // namespace

void add_outbox_requests(CLI::App& outbox, Program& program) {
  add_request(outbox, program, replay);
  add_request(outbox, program, quarantine);
  add_request(outbox, program, release);
  add_request(outbox, program, rewind).footer("For a lane that stopped with STORAGE.COUNTER_BEHIND after a restore.");

  CLI::App& answer = *outbox.add_subcommand("answer", "Tell what became of a request");
  add_outbox_flags(answer, program);
  const auto id = std::make_shared<std::int64_t>(0);
  answer.add_option("request", *id, "The number that the request got")->required()->type_name("REQUEST");
  run(answer, program, [&program, id] { return tell_answer(program, *id); });
}

}  // namespace makegood::cli
