// makegood outbox rewind|go-on|answer: a log that is not as it was left, and what became of requests.
#include <fmt/format.h>

#include <memory>

#include "cli/asking.hpp"
#include "cli/client.hpp"
#include "cli/json_view.hpp"
#include "cli/story.hpp"
#include "cli/verbs.hpp"
#include "config/mistake.hpp"

namespace makegood::cli {
namespace {

constexpr Asking rewinding{"rewind", "Send what is in a log that was emptied, restored or numbered anew",
                           "sends what is in the log"};
constexpr Asking going_on{"go-on", "Go on where a lane stopped, when its log is right again",
                          "goes on where it stopped"};

void tell_counts(const Json& told) {
  const std::int64_t rows = number_at(told, "row_count");
  fmt::print("{} {} sent; {} of them probably a second time.\n", rows, rows == 1 ? "message is" : "messages are",
             number_at(told, "repeat_count"));
}

Result<> rewind_lane(const Program& program, const std::string& reason, std::int64_t to) {
  const auto client = MAKEGOOD_TRY(Client::open(program));
  const std::string body = body_of([&](api::Writer& writer) {
    put_if(writer, "reason", reason);
    if (to > 0) api::put(writer, "to", to);
  });
  const std::string answer = MAKEGOOD_TRY(client->send_to_outbox("POST", "/rewind", body));
  if (!program.as_json) tell_counts(MAKEGOOD_TRY(parse_answer(answer)));
  return tell_asked(program, rewinding, answer);
}

Result<> go_on(const Program& program, const std::string& reason) {
  const auto client = MAKEGOOD_TRY(Client::open(program));
  const std::string body = body_of([&](api::Writer& writer) { put_if(writer, "reason", reason); });
  return tell_asked(program, going_on, MAKEGOOD_TRY(client->send_to_outbox("POST", "/go-on", body)));
}

/// Who asked for what, when and why.
void print_request(const Json& request) {
  const TimePoint now = system_clock().now();
  const std::int64_t sequence = number_at(request, "sequence");
  std::string what = text_at(request, "kind");
  if (sequence > 0) what += fmt::format(" of message {}", sequence);
  if (const std::string where = text_at(request, "destination"); !where.empty()) what += " at " + where;
  print_field("asked", fmt::format("{}, {}", what, ago_cell(request, "created_at", now)));
  print_field("by", cell(request, "operator"));
  print_field("because", cell(request, "reason"));
}

Result<> tell_answer(const Program& program, std::int64_t id) {
  const auto client = MAKEGOOD_TRY(Client::open(program));
  const std::string answer = MAKEGOOD_TRY(client->get_of_outbox(fmt::format("/requests/{}", id)));
  if (program.as_json) {
    fmt::print("{}\n", answer);
    return {};
  }
  const auto request = MAKEGOOD_TRY(parse_answer(answer));
  const std::string result = text_at(request, "result");
  fmt::print("{}\n", result == "open" ? "open: no owner has carried it out yet" : config::printable(result));
  print_request(request);
  return {};
}

}  // namespace

void add_outbox_requests(CLI::App& outbox, Program& program) {
  CLI::App& rewind = *outbox.add_subcommand(rewinding.name, rewinding.description);
  add_call_flags(rewind, program);
  const auto reason = std::make_shared<std::string>();
  add_asking_flags(rewind, program, *reason, Reason::required);
  const auto to = std::make_shared<std::int64_t>(0);
  rewind.add_option("--to", *to, "The first message to send, instead of the first that is there")
      ->type_name("SEQUENCE")
      ->check(CLI::PositiveNumber);
  rewind.footer("For a lane that stopped with STORAGE.COUNTER_BEHIND or STORAGE.LOG_CHANGED.");
  run(rewind, program, [&program, reason, to] { return rewind_lane(program, *reason, *to); });

  CLI::App& going = *outbox.add_subcommand(going_on.name, going_on.description);
  add_call_flags(going, program);
  add_asking_flags(going, program, *reason, Reason::required);
  going.footer("For a lane that stopped with STORAGE.COUNTER_BEHIND or STORAGE.LOG_CHANGED, when nothing is missing.");
  run(going, program, [&program, reason] { return go_on(program, *reason); });

  CLI::App& answer = *outbox.add_subcommand("answer", "Tell what became of a request");
  add_call_flags(answer, program);
  const auto id = std::make_shared<std::int64_t>(0);
  answer.add_option("request", *id, "The number that the request got")->required()->type_name("REQUEST");
  run(answer, program, [&program, id] { return tell_answer(program, *id); });
}

}  // namespace makegood::cli
