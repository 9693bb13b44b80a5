// makegood dead quarantine|release|annotate: requests about one dead letter.
#include <fmt/format.h>

#include <memory>

#include "cli/asking.hpp"
#include "cli/client.hpp"
#include "cli/url_text.hpp"
#include "cli/verbs.hpp"

namespace makegood::cli {
namespace {

constexpr Asking quarantining{"quarantine", "Set a delivery aside for good",
                              "sets the delivery aside and lets the messages behind it pass"};
constexpr Asking releasing{"release", "Bring a quarantined delivery back to the dead letters",
                           "puts the delivery back among the dead letters"};
constexpr Asking annotating{"annotate", "Leave a note at a dead letter", "keeps the note with the delivery"};

struct AboutDead {
  std::int64_t sequence = 0;
  std::string destination = {};
  std::string reason = {};
  std::string note = {};
};

Result<> ask_about_dead(const Program& program, const Asking& asking, const AboutDead& about) {
  const auto client = MAKEGOOD_TRY(Client::open(program));
  const std::string path =
      fmt::format("/dead/{}/{}/{}", about.sequence, percent_encoded(about.destination), asking.name);
  const std::string body = body_of([&](api::Writer& writer) {
    put_if(writer, "reason", about.reason);
    put_if(writer, "note", about.note);
  });
  return tell_asked(program, asking, MAKEGOOD_TRY(client->send_to_outbox("POST", path, body)));
}

CLI::App& add_dead_request(CLI::App& dead, Program& program, const Asking& asking,
                           const std::shared_ptr<AboutDead>& about) {
  CLI::App& verb = *dead.add_subcommand(asking.name, asking.description);
  add_call_flags(verb, program);
  verb.add_option("sequence", about->sequence, "The number of the message")->required()->type_name("SEQUENCE");
  verb.add_option("destination", about->destination, "The destination, as 'dead list' has it")
      ->required()
      ->type_name("DESTINATION");
  run(verb, program, [&program, &asking, about] { return ask_about_dead(program, asking, *about); });
  return verb;
}

}  // namespace

void add_dead_requests(CLI::App& dead, Program& program) {
  const auto about = std::make_shared<AboutDead>();
  add_asking_flags(add_dead_request(dead, program, quarantining, about), program, about->reason);
  add_asking_flags(add_dead_request(dead, program, releasing, about), program, about->reason);

  CLI::App& annotate = add_dead_request(dead, program, annotating, about);
  annotate.add_option("note", about->note, "What the next one should know")->required()->type_name("TEXT");
  add_operator_flags(annotate, program);
}

}  // namespace makegood::cli
