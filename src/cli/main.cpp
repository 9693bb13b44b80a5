// The composition root: the one file of the command line that knows the stores behind it.
#include <fmt/format.h>
#include <sqlite3.h>

#include <utility>

#include "cli/suggestion.hpp"
#include "cli/verbs.hpp"
#include "stores/sqlite/sqlite.hpp"

namespace makegood::cli {
namespace {

constexpr const char* promise =
    "Makes good on what a database has already promised: every committed message is delivered.";
constexpr const char* footer =
    "`makegood status` is the first thing to ask. Verbs that look or ask work on a store (--store) or on a server\n"
    "(--server, or MAKEGOOD_SERVER; its token in MAKEGOOD_TOKEN or --token-file).\n";

void add_verbs(CLI::App& app, Program& program) {
  add_status(app, program);
  add_outbox(app, program);
  add_destinations(app, program);
  add_sources(app, program);
  add_dead(app, program);
  add_jobs(app, program);
  add_idempotency(app, program);
  add_apply(app, program);
  add_saga(app, program);
  add_doctor(app, program);
  add_serve(app, program);
  add_consume(app, program);
  add_proxy(app, program);
  add_token(app, program);
  add_config(app, program);
  add_migrate(app, program);
  add_adopt(app, program);
  add_demo(app, program);
  add_dev(app, program);
  add_bench(app, program);
  add_sim(app, program);
  add_version(app, program);
}

int main_of(int argc, char** argv) {
  Program program{
      .version = MAKEGOOD_VERSION, .sqlite_version = sqlite3_libversion(), .sqlite_warning = sqlite::version_warning()};
  CLI::App app(promise, "makegood");
  app.footer(footer + exit_codes());  // Verbs that have no footer of their own inherit it.
  app.set_version_flag("--version", fmt::format("makegood {}", program.version));
  app.require_subcommand(1);
  add_verbs(app, program);
  app.footer(footer + exit_codes_in_full());
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    // Help is a ParseError too, with the exit code 0.
    if (app.exit(error) == 0) return std::to_underlying(Exit::ok);
    const std::vector<std::string> words(argv + 1, argv + argc);
    if (const std::string meant = suggestion_for(app, words); !meant.empty()) fmt::print(stderr, "{}\n", meant);
    return std::to_underlying(Exit::usage);
  }
  return std::to_underlying(program.exit);
}

}  // namespace

void add_config_flags(CLI::App& verb, Program& program) {
  verb.add_option("--config", program.config_file, "The configuration file")->type_name("FILE");
  verb.add_option("--set", program.settings, "A setting that wins over file and environment; may be repeated")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
}

void add_store_flags(CLI::App& verb, Program& program) {
  add_config_flags(verb, program);
  verb.add_option("--store", program.store_url, "The store, as in sqlite:makegood.db or postgres://shop@db/shop")
      ->type_name("URL");
}

void add_outbox_flags(CLI::App& verb, Program& program) {
  add_store_flags(verb, program);
  verb.add_option("--outbox", program.outboxes, "The outbox, if several are configured")
      ->type_name("NAME")
      ->expected(1);
}

void add_call_flags(CLI::App& verb, Program& program) {
  add_outbox_flags(verb, program);
  verb.add_option("--server", program.server_url, "The server, as in http://127.0.0.1:7700, instead of a store")
      ->type_name("URL")
      ->excludes(verb.get_option("--store"));
  verb.add_option("--token-file", program.token_file, "The file that has the server's token")->type_name("FILE");
  verb.add_flag("--json", program.as_json, "The answer for programs, as REST gives it");
}

void run(CLI::App& verb, Program& program, std::function<Result<>()> action) {
  verb.callback([&program, action = std::move(action)] {
    if (const Result<> done = action(); !done) program.exit = tell(done.error());
  });
}

}  // namespace makegood::cli

int main(int argc, char** argv) { return makegood::cli::main_of(argc, argv); }
