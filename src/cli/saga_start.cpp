// makegood saga start: for tools and tests. A caller with something to commit starts it in its own transaction.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>

#include "api/json_value.hpp"
#include "cli/apply.hpp"
#include "cli/flag_texts.hpp"
#include "cli/json_view.hpp"
#include "cli/saga_flags.hpp"
#include "cli/saga_tree.hpp"
#include "config/mistake.hpp"

namespace makegood::cli {
namespace {

/// What a single call waits for at most.
constexpr double call_wait_max = 30;

struct StartedSaga {
  std::string definition = {};
  std::string id = {};
  std::string key = {};
  std::string on_busy = {};
  std::string tenant = {};
  std::optional<std::int64_t> version = {};
  std::string start_at = {};
  std::string file = {};  ///< The definition comes with the start.
  std::string input = "{}";
  double wait = 0;
};

/// The one of the file that is named, or the only one.
Result<std::string> document_in(const StartedSaga& start) {
  const Wanted wanted = MAKEGOOD_TRY(read_wanted({start.file}, config::process_environment()));
  const auto is_meant = [&](const WantedSaga& saga) {
    return start.definition.empty() || saga.name == start.definition;
  };
  const auto found = std::ranges::find_if(wanted.sagas, is_meant);
  if (found == wanted.sagas.end()) return Error{Errc::not_found, "The file has no such saga."};
  if (std::ranges::count_if(wanted.sagas, is_meant) == 1) return found->document;
  return Error{Errc::invalid, "The file has several sagas; say which one to start."};
}

Result<std::string> start_body(const StartedSaga& start) {
  if (start.file.empty() && start.definition.empty()) {
    return Error{Errc::invalid, "Say which saga to start, or give its document with --file."};
  }
  const std::string document = start.file.empty() ? std::string() : MAKEGOOD_TRY(document_in(start));
  const std::string input = MAKEGOOD_TRY(json_argument(start.input));
  return body_of([&](api::Writer& writer) {
    if (document.empty()) api::put(writer, "definition", std::string_view(start.definition));
    if (!document.empty()) api::put_json(writer, "document", document);
    put_if(writer, "id", start.id);
    put_if(writer, "key", start.key);
    put_if(writer, "on_busy", start.on_busy);
    put_if(writer, "tenant", start.tenant);
    if (start.version) api::put(writer, "version", *start.version);
    put_if(writer, "start_at", start.start_at);
    api::put_json(writer, "input", input);
    if (start.wait > 0) api::put(writer, "wait", std::min(start.wait, call_wait_max));
  });
}

bool has_outcome(const Json& answer) {
  constexpr auto lasting =
      std::to_array<std::string_view>({"completed", "compensated", "failed", "cancelled", "manual"});
  return std::ranges::find(lasting, text_at(answer, "state")) != lasting.end();
}

/// Asks again until there is one, or all of the time is over.
Result<std::string> wait_on(Client& client, const StartedSaga& start, std::string answer) {
  for (double left = start.wait - call_wait_max; left > 0; left -= call_wait_max) {
    const auto told = MAKEGOOD_TRY(parse_answer(answer));
    if (has_outcome(told)) return answer;
    const SagaName name{.id = text_at(told, "executionId"), .tenant = text_at(told, "tenantId")};
    Query query = execution_query(name);
    query.add("wait", fmt::format("{}", std::min(left, call_wait_max)));
    answer = MAKEGOOD_TRY(client.get(execution_path(name, "/outcome"), query.text()));
  }
  return answer;
}

void print_outcome(const Json& answer, bool was_awaited) {
  const std::string id = config::printable(text_at(answer, "executionId"));
  fmt::print("{}: {}.\n", id, config::printable(text_at(answer, "message")));
  const Json& failure = object_at(answer, "failure");
  if (const std::string code = text_at(failure, "code"); !code.empty()) {
    fmt::print("  {}: {} {}\n", cell(failure, "step"), config::printable(code),
               config::printable(text_at(failure, "error")));
  }
  if (answer.HasMember("output") && !answer["output"].IsNull()) {
    fmt::print("  output: {}\n", config::printable(json_of(answer["output"])));
  }
  if (!was_awaited || !has_outcome(answer)) fmt::print("'makegood saga watch {}' shows how it goes on.\n", id);
}

Result<> start_execution(Program& program, const StartedSaga& start) {
  const std::string body = MAKEGOOD_TRY(start_body(start));
  const auto client = MAKEGOOD_TRY(Client::open(program));
  const std::string path = start.file.empty() ? "/api/saga/execute" : "/api/saga/execute/inline";
  const std::string first = MAKEGOOD_TRY(client->send("POST", path, body));
  const std::string answer = MAKEGOOD_TRY(wait_on(*client, start, first));
  const auto told = MAKEGOOD_TRY(parse_answer(answer));
  if (program.as_json) {
    fmt::print("{}\n", answer);
  } else {
    print_outcome(told, start.wait > 0);
  }
  if (start.wait > 0 && text_at(told, "state") != "completed") program.exit = Exit::failed;
  return {};
}

}  // namespace

void add_saga_start(CLI::App& saga, Program& program) {
  CLI::App& verb = *saga.add_subcommand("start", "Start an execution, and wait for its outcome with --wait");
  add_call_flags(verb, program);
  const auto start = std::make_shared<StartedSaga>();
  verb.add_option("definition", start->definition, "The name of the saga")->type_name("SAGA");
  verb.add_option("--file", start->file, "Its document comes with the start; YAML or JSON, stored by what it says")
      ->type_name("FILE");
  verb.add_option("--input", start->input, "JSON, default {}; - reads it from the input, @FILE from a file")
      ->type_name("JSON");
  verb.add_option("--id", start->id, "Names the execution: the same start again is the same execution")
      ->type_name("ID");
  verb.add_option("--key", start->key,
                  "What it is about, as in customer-7: executions of one key run one after another")
      ->type_name("KEY");
  verb.add_option("--on-busy", start->on_busy,
                  "When another execution holds the key: queue, reject or return; default: as the saga says")
      ->type_name("WHAT")
      ->check(CLI::IsMember({"queue", "reject", "return"}).description(""));
  verb.add_option("--tenant", start->tenant, "Whose it is; default: default")->type_name("TENANT");
  verb.add_option("--version", start->version, "Of the definition; default: the newest")
      ->type_name("N")
      ->check(CLI::PositiveNumber);
  verb.add_option("--start-at", start->start_at, "Not before this moment, as in 2027-01-31T09:00:00Z")
      ->type_name("TIME");
  verb.add_option("--wait", start->wait, "Wait so many seconds at most for its end; exit code 1 unless it completed")
      ->type_name("SECONDS")
      ->check(CLI::Range(0.0, 3600.0));
  run(verb, program, [&program, start] { return start_execution(program, *start); });
}

}  // namespace makegood::cli
