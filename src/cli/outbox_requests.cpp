// makegood outbox rewind|answer: a counter that was set back, and what became of requests.
#include <fmt/format.h>

#include <memory>

#include "cli/asking.hpp"
#include "cli/client.hpp"
#include "cli/json_view.hpp"
#include "cli/verbs.hpp"
#include "config/mistake.hpp"

namespace makegood::cli {
namespace {

constexpr Asking rewinding{"rewind", "Go on from a counter that was set back",
                           "starts again from the counter; messages may be delivered a second time"};

Result<> rewind_lane(const Program& program, const std::string& reason) {
  const auto client = MAKEGOOD_TRY(Client::open(program));
  const std::string body = body_of([&](api::Writer& writer) { put_if(writer, "reason", reason); });
  return tell_asked(program, rewinding, MAKEGOOD_TRY(client->send_to_outbox("POST", "/rewind", body)));
}

Result<> tell_answer(const Program& program, std::int64_t id) {
  const auto client = MAKEGOOD_TRY(Client::open(program));
  const std::string answer = MAKEGOOD_TRY(client->get_of_outbox(fmt::format("/requests/{}", id)));
  if (program.as_json) {
    fmt::print("{}\n", answer);
    return {};
  }
  const std::string result = text_at(MAKEGOOD_TRY(parse_answer(answer)), "result");
  fmt::print("{}\n", result == "open" ? "open: no owner has carried it out yet" : config::printable(result));
  return {};
}

}  // namespace

void add_outbox_requests(CLI::App& outbox, Program& program) {
  CLI::App& rewind = *outbox.add_subcommand(rewinding.name, rewinding.description);
  add_call_flags(rewind, program);
  const auto reason = std::make_shared<std::string>();
  add_asking_flags(rewind, program, *reason, Reason::required);
  rewind.footer("For a lane that stopped with STORAGE.COUNTER_BEHIND after a restore.");
  run(rewind, program, [&program, reason] { return rewind_lane(program, *reason); });

  CLI::App& answer = *outbox.add_subcommand("answer", "Tell what became of a request");
  add_call_flags(answer, program);
  const auto id = std::make_shared<std::int64_t>(0);
  answer.add_option("request", *id, "The number that the request got")->required()->type_name("REQUEST");
  run(answer, program, [&program, id] { return tell_answer(program, *id); });
}

}  // namespace makegood::cli
