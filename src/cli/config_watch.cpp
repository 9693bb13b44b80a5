// makegood config watch: what a running process would take over, told at each change.
#include "config/watch.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "cli/verbs.hpp"
#include "config/reload.hpp"

namespace makegood::cli {
namespace {

void say(const std::string& line) {
  fmt::print("{}\n", line);
  std::fflush(stdout);  // Somebody is waiting for each line.
}

[[noreturn]] void follow(config::Watch& watch, const config::Sources& sources, config::Config running) {
  while (true) {
    if (!watch.wait(std::chrono::minutes(1))) continue;
    config::Reload reload = config::reload(sources, running);
    for (const config::Told& told : config::describe(reload)) say(told.line);
    say(fmt::format("reloaded: {} changed, {} mistakes", reload.changed.size(), reload.findings.mistakes.size()));
    running = std::move(reload.config);
  }
}

Result<> watch_config(const Program& program) {
  const config::Sources sources = MAKEGOOD_TRY(sources_of(program));
  // Before the first reading, so that no change in between is missed.
  config::Watch watch = MAKEGOOD_TRY(config::Watch::open(sources.file));
  const config::Config config = MAKEGOOD_TRY(load_config(program));
  say(fmt::format("watching {}", config::printable(sources.file.value_or("for SIGHUP only: there is no file"))));
  follow(watch, sources, config);
}

}  // namespace

void add_config_watch(CLI::App& config, Program& program) {
  CLI::App& verb =
      *config.add_subcommand("watch", "Tell at each change of the file, or SIGHUP, what would be taken over");
  add_config_flags(verb, program);
  verb.footer("Runs until it is interrupted.");
  run(verb, program, [&program] { return watch_config(program); });
}

}  // namespace makegood::cli
