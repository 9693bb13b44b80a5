// makegood saga pause|resume|cancel|retry|skip|compensate|decide|resolve|repin|annotate: what an operator asks of
// an execution.
#include <fmt/format.h>

#include <array>
#include <memory>

#include "api/json_value.hpp"
#include "cli/asking.hpp"
#include "cli/json_view.hpp"
#include "cli/saga_flags.hpp"
#include "config/mistake.hpp"

namespace makegood::cli {
namespace {

enum class StepNeed { none, optional, required };

struct SagaAsking {
  const char* verb;
  const char* description;
  const char* done;  ///< What it does then, as the end of a sentence.
  StepNeed step = StepNeed::none;
  const char* choice = nullptr;  ///< The member that a further word goes to.
  std::array<const char*, 3> words = {};
  const char* body = nullptr;  ///< The member and the flag of a JSON text.
  bool is_for_any_state = false;
  bool has_version = false;
};

constexpr auto saga_askings = std::to_array<SagaAsking>({
    {"pause", "Begin nothing new; answers are still recorded", "stands"},
    {"resume", "Go on after a pause, or after somebody has looked", "goes on"},
    {"cancel", "Undo everything, because you ask", "is being undone"},
    {"retry",
     "Try the stuck step again, or what could not be undone",
     "goes on",
     StepNeed::optional,
     nullptr,
     {},
     "input"},
    {"skip", "Leave a step out", "goes on without the step", StepNeed::required},
    {"compensate", "Undo what may be done, also after it has failed", "is being undone", StepNeed::optional},
    {"decide",
     "Approve or reject a step that waits for it",
     "goes on",
     StepNeed::required,
     "decision",
     {"approve", "reject"},
     "input"},
    {"resolve",
     "Say what became of a step, as you know it",
     "goes on with what you know",
     StepNeed::required,
     "outcome",
     {"done", "not_done", "undone"},
     "output"},
    {.verb = "repin",
     .description = "Go on by another version of its definition, whose steps are the same",
     .done = "goes by that version",
     .has_version = true},
    {.verb = "annotate",
     .description = "Leave a note in the journal: the reason is its text",
     .done = "keeps the note",
     .is_for_any_state = true},
});

struct AskedSaga {
  SagaName name = {};
  std::string step = {};
  std::string choice = {};
  std::string body = {};
  std::int64_t version = 0;
  std::string reason = {};
  std::string state = {};
};

/// What the operator sees is what he has just looked at, unless he says it.
Result<std::string> seen_state(Client& client, const SagaAsking& asking, const AskedSaga& asked) {
  if (!asked.state.empty()) return asked.state == "any" ? std::string() : asked.state;
  if (asking.is_for_any_state) return std::string();
  const std::string answer = MAKEGOOD_TRY(client.get(execution_path(asked.name), execution_query(asked.name).text()));
  std::string state = text_at(MAKEGOOD_TRY(parse_answer(answer)), "state");
  // It begins by itself at any moment.
  return state == "pending" ? std::string() : state;
}

void print_asked(const SagaAsking& asking, const AskedSaga& asked, const Json& told) {
  const std::string id = config::printable(asked.name.id);
  if (text_at(told, "result") == "done") {
    return fmt::print("Done: {} {}; it is {} now.\n", id, asking.done, text_at(told, "state"));
  }
  fmt::print("Request {} is recorded; whoever runs sagas carries it out with its next turn.\n",
             number_at(told, "request"));
  fmt::print("'makegood saga journal {}' tells what became of it; 'makegood status' whether somebody runs them.\n", id);
}

Result<> ask_execution(const Program& program, const SagaAsking& asking, const AskedSaga& asked) {
  if (!asked.body.empty() && !api::is_json(asked.body)) {
    return Error{Errc::invalid, fmt::format("--{} is not JSON.", asking.body)};
  }
  const auto client = MAKEGOOD_TRY(Client::open(program));
  const std::string state = MAKEGOOD_TRY(seen_state(*client, asking, asked));
  const std::string body = body_of([&](api::Writer& writer) {
    put_if(writer, "reason", asked.reason);
    put_if(writer, "state", state);
    put_if(writer, "step", asked.step);
    if (asking.choice != nullptr) put_if(writer, asking.choice, asked.choice);
    if (!asked.body.empty()) api::put_json(writer, asking.body, asked.body);
    if (asking.has_version) api::put(writer, "version", asked.version);
  });
  const std::string path = execution_path(asked.name, fmt::format("/{}", asking.verb));
  const std::string answer = MAKEGOOD_TRY(client->send("POST", path, body, execution_query(asked.name).text()));
  if (program.as_json) {
    fmt::print("{}\n", answer);
    return {};
  }
  print_asked(asking, asked, MAKEGOOD_TRY(parse_answer(answer)));
  return {};
}

void add_choice(CLI::App& verb, const SagaAsking& asking, AskedSaga& asked) {
  if (asking.choice == nullptr) return;
  std::vector<std::string> words;
  for (const char* word : asking.words) {
    if (word != nullptr) words.emplace_back(word);
  }
  verb.add_option(asking.choice, asked.choice, fmt::format("One of {}", fmt::join(words, ", ")))
      ->required()
      ->type_name("WORD")
      ->check(CLI::IsMember(words).description(""));
}

void add_asking(CLI::App& saga, Program& program, const SagaAsking& asking) {
  CLI::App& verb = *saga.add_subcommand(asking.verb, asking.description);
  const auto asked = std::make_shared<AskedSaga>();
  add_saga_flags(verb, program, asked->name);
  if (asking.step != StepNeed::none) {
    verb.add_option("step", asked->step,
                    asking.step == StepNeed::required ? "The name of the step" : "The step; default: what is stuck")
        ->required(asking.step == StepNeed::required)
        ->type_name("STEP");
  }
  add_choice(verb, asking, *asked);
  if (asking.has_version) {
    verb.add_option("version", asked->version, "Its number, as in 'makegood saga definitions'")
        ->required()
        ->type_name("N")
        ->check(CLI::PositiveNumber);
  }
  if (asking.body != nullptr) {
    const bool is_output = std::string_view(asking.body) == "output";
    verb.add_option(fmt::format("--{}", asking.body), asked->body,
                    is_output ? "What the step answered, if it was done" : "Send this instead")
        ->type_name("JSON");
  }
  verb.add_option("--state", asked->state,
                  fmt::format("Refused if it is in another one by now; default: {}",
                              asking.is_for_any_state ? "any" : "as it is found; or any"))
      ->type_name("STATE");
  add_asking_flags(verb, program, asked->reason, Reason::required);
  run(verb, program, [&program, &asking, asked] { return ask_execution(program, asking, *asked); });
}

}  // namespace

void add_saga_requests(CLI::App& saga, Program& program) {
  for (const SagaAsking& asking : saga_askings) add_asking(saga, program, asking);
}

}  // namespace makegood::cli
