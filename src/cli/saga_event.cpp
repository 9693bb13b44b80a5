// makegood saga event: tells of an event that a step waits for. Whoever has something to commit inserts a row instead.
#include <fmt/format.h>

#include <memory>

#include "api/json_value.hpp"
#include "cli/flag_texts.hpp"
#include "cli/json_view.hpp"
#include "cli/saga_flags.hpp"
#include "config/mistake.hpp"

namespace makegood::cli {
namespace {

struct ToldEvent {
  SagaName name = {};
  std::string event = {};
  std::string data = {};
  std::string id = {};
};

Result<> tell_event(const Program& program, const ToldEvent& told) {
  const std::string data = told.data.empty() ? std::string() : MAKEGOOD_TRY(json_argument(told.data));
  const auto client = MAKEGOOD_TRY(Client::open(program));
  const std::string body = body_of([&](api::Writer& writer) {
    api::put(writer, "event", std::string_view(told.event));
    put_if(writer, "id", told.id);
    if (!data.empty()) api::put_json(writer, "data", data);
  });
  const std::string path = execution_path(told.name, "/events");
  const std::string answer = MAKEGOOD_TRY(client->send("POST", path, body, execution_query(told.name).text()));
  if (program.as_json) {
    fmt::print("{}\n", answer);
    return {};
  }
  const auto said = MAKEGOOD_TRY(parse_answer(answer));
  const std::string id = config::printable(told.name.id);
  if (text_at(said, "result") == "done") {
    fmt::print("Done: {} knows of {}; it is {} now.\n", id, config::printable(told.event), text_at(said, "state"));
  } else {
    fmt::print("Request {} is recorded; whoever runs sagas reads it with its next turn.\n", number_at(said, "request"));
  }
  return {};
}

}  // namespace

void add_saga_event(CLI::App& saga, Program& program) {
  CLI::App& verb = *saga.add_subcommand("event", "Tell of an event that a step waits for, or will wait for");
  const auto told = std::make_shared<ToldEvent>();
  add_saga_flags(verb, program, told->name);
  verb.add_option("event", told->event, "The name of the event")->required()->type_name("EVENT");
  verb.add_option("--data", told->data, "What it says: JSON; - reads it from the input, @FILE from a file")
      ->type_name("JSON");
  verb.add_option("--id", told->id, "The same event again counts once")->type_name("ID");
  run(verb, program, [&program, told] { return tell_event(program, *told); });
}

}  // namespace makegood::cli
