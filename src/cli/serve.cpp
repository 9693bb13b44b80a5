// makegood serve: the daemon.
#include <memory>

#include "base/file_rights.hpp"
#include "cli/apply.hpp"
#include "cli/serve.hpp"
#include "cli/verbs.hpp"
#include "config/options.hpp"
#include "daemon/daemon.hpp"
#include "daemon/tokens.hpp"

namespace makegood::cli {
namespace {

struct ServeFlags {
  std::string listen = {};
  std::vector<std::string> apply = {};
  bool no_migrate = false;
};

/// Empty: no files were named.
daemon::ApplyFiles apply_files_of(const ServeFlags& flags, const config::Environment& environment) {
  if (flags.apply.empty()) return {};
  return [paths = flags.apply, environment](const std::string& only_outbox, const daemon::HandleCall& handle) {
    return apply_files(paths, environment, only_outbox, handle);
  };
}

Result<> serve(Program& program, const ServeFlags& flags) {
  const config::Environment environment = config::process_environment();
  // A mistake in a file is better told now than in the log.
  if (!flags.apply.empty()) MAKEGOOD_TRY(read_wanted(flags.apply, environment));
  return serve_with(program, flags.listen, apply_files_of(flags, environment), !flags.no_migrate);
}

std::vector<std::string> warnings_of_secrets(const config::Config& config) {
  std::vector<std::string> warnings;
  for (const std::string& file : {config.server.token_file, config.idempotency.seal_file}) {
    if (!file.empty() && may_everybody_read(file)) warnings.push_back(everybody_reads(file));
  }
  return warnings;
}

}  // namespace

Result<> serve_with(Program& program, const std::string& listen, daemon::ApplyFiles apply_files, bool migrates) {
  // Before the first thread, so that all of them leave the signals to this one.
  daemon::EndSignals signals = MAKEGOOD_TRY(daemon::EndSignals::open());
  if (!listen.empty()) program.settings.push_back("server.listen=" + listen);
  const config::Sources sources = MAKEGOOD_TRY(sources_of(program));
  config::Watch watch = MAKEGOOD_TRY(config::Watch::open(sources.file));
  config::Config config = MAKEGOOD_TRY(load_config(program));
  auto tokens = MAKEGOOD_TRY(daemon::load_tokens(config.server.token_file, sources.environment));
  auto schemas = MAKEGOOD_TRY(config::payload_schemas(config));
  std::shared_ptr<const Seal> seal;
  if (!config.idempotency.seal_file.empty()) seal = MAKEGOOD_TRY(read_seal(config.idempotency.seal_file));
  std::vector<std::string> warnings = warnings_of_secrets(config);
  std::string warning = config.store.url.starts_with("sqlite:") ? program.sqlite_warning : std::string();
  const auto running = MAKEGOOD_TRY(daemon::Daemon::open({.sources = sources,
                                                          .config = std::move(config),
                                                          .tokens = std::move(tokens),
                                                          .apply_files = std::move(apply_files),
                                                          .version = program.version,
                                                          .schemas = std::move(schemas),
                                                          .seal = std::move(seal),
                                                          .store_warning = std::move(warning),
                                                          .secret_warnings = std::move(warnings),
                                                          .migrates = migrates}));
  return running->run(signals, watch);
}

void add_serve(CLI::App& app, Program& program) {
  CLI::App& verb = *app.add_subcommand("serve", "Run the daemon: relay, REST, metrics");
  add_store_flags(verb, program);
  const auto flags = std::make_shared<ServeFlags>();
  verb.add_option("--listen", flags->listen, "The address of REST, default 127.0.0.1:7700; port 0 = any that is free")
      ->type_name("ADDRESS");
  verb.add_option("--outbox", program.outboxes, "An outbox; may be repeated. Default: all that are configured")
      ->type_name("NAME")
      ->allow_extra_args(false);
  verb.add_option("--apply", flags->apply, "Destinations and routes to begin with, as `makegood apply` takes them")
      ->type_name("FILE|DIR")
      ->allow_extra_args(false);
  verb.add_flag("--no-migrate", flags->no_migrate, "Leave the tables as they are");
  verb.footer(
      "Any address but loopback needs tokens: lines `ROLE NAME SECRET` in the file that server.token_file names, or "
      "in\n"
      "MAKEGOOD_TOKENS; ROLE is operator, viewer, producer or metrics. SIGTERM or SIGINT ends it, SIGHUP or a change "
      "of the file reloads it.");
  run(verb, program, [&program, flags] { return serve(program, *flags); });
}

}  // namespace makegood::cli
