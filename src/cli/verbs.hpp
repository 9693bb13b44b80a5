// The verbs. Each adds itself to the command line and, when it was chosen, runs and sets the program's exit code.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

#include "cli/program.hpp"

namespace makegood::cli {

void add_serve(CLI::App& app, Program& program);
void add_consume(CLI::App& app, Program& program);
void add_proxy(CLI::App& app, Program& program);
void add_token(CLI::App& app, Program& program);
void add_config(CLI::App& app, Program& program);
void add_migrate(CLI::App& app, Program& program);
void add_adopt(CLI::App& app, Program& program);
void add_status(CLI::App& app, Program& program);
void add_outbox(CLI::App& app, Program& program);
void add_destinations(CLI::App& app, Program& program);
void add_sources(CLI::App& app, Program& program);
void add_dead(CLI::App& app, Program& program);
void add_idempotency(CLI::App& app, Program& program);
void add_apply(CLI::App& app, Program& program);
void add_saga(CLI::App& app, Program& program);
void add_doctor(CLI::App& app, Program& program);
void add_bench(CLI::App& app, Program& program);
void add_sim(CLI::App& app, Program& program);
void add_demo(CLI::App& app, Program& program);
void add_dev(CLI::App& app, Program& program);
void add_version(CLI::App& app, Program& program);

// Parts of `config`.
void add_config_keys(CLI::App& config, Program& program);
void add_config_watch(CLI::App& config, Program& program);
// Parts of `outbox`.
void add_outbox_list(CLI::App& outbox, Program& program);
void add_outbox_show(CLI::App& outbox, Program& program);
void add_outbox_enqueue(CLI::App& outbox, Program& program);
void add_outbox_tail(CLI::App& outbox, Program& program);
void add_outbox_blocked(CLI::App& outbox, Program& program);
void add_outbox_lanes(CLI::App& outbox, Program& program);
void add_outbox_routes(CLI::App& outbox, Program& program);
void add_outbox_scopes(CLI::App& outbox, Program& program);
void add_outbox_cancel(CLI::App& outbox, Program& program);
void add_outbox_reset(CLI::App& outbox, Program& program);
void add_outbox_requests(CLI::App& outbox, Program& program);
// Parts of `destinations`.
void add_destinations_list(CLI::App& destinations, Program& program);
void add_destinations_add(CLI::App& destinations, Program& program);
void add_destinations_test(CLI::App& destinations, Program& program);
void add_destinations_requests(CLI::App& destinations, Program& program);
// Parts of `dead`.
void add_dead_lists(CLI::App& dead, Program& program);
void add_dead_show(CLI::App& dead, Program& program);
void add_dead_replay(CLI::App& dead, Program& program);
void add_dead_requests(CLI::App& dead, Program& program);

// Parts of `saga`.
void add_saga_start(CLI::App& saga, Program& program);
void add_saga_show(CLI::App& saga, Program& program);
void add_saga_watch(CLI::App& saga, Program& program);
void add_saga_list(CLI::App& saga, Program& program);
void add_saga_journal(CLI::App& saga, Program& program);
void add_saga_bulk(CLI::App& saga, Program& program);
void add_jobs(CLI::App& app, Program& program);
void add_saga_keys(CLI::App& saga, Program& program);
void add_saga_failures(CLI::App& saga, Program& program);
void add_saga_stats(CLI::App& saga, Program& program);
void add_saga_requests(CLI::App& saga, Program& program);
void add_saga_event(CLI::App& saga, Program& program);
void add_saga_check_participant(CLI::App& saga, Program& program);
void add_saga_lint(CLI::App& saga, Program& program);
void add_saga_simulate(CLI::App& saga, Program& program);

// Parts of `migrate`.
/// --outbox and --saga-log, of migrate and its parts.
void add_outboxes_option(CLI::App& verb, Program& program);
void add_migrate_export(CLI::App& migrate, Program& program);
void add_migrate_check(CLI::App& migrate, Program& program);
void add_migrate_grants(CLI::App& migrate, Program& program);

/// `--config` and `--set`, for every verb that reads the configuration.
void add_config_flags(CLI::App& verb, Program& program);
/// Those, and `--store`.
void add_store_flags(CLI::App& verb, Program& program);
/// Those, and one `--outbox`.
void add_outbox_flags(CLI::App& verb, Program& program);

/// Those, `--server`, `--token-file` and `--json`: for every verb that makes calls.
void add_call_flags(CLI::App& verb, Program& program);

/// What a verb does: its error is told and becomes the exit code.
void run(CLI::App& verb, Program& program, std::function<Result<>()> action);

}  // namespace makegood::cli
