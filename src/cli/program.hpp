// What all verbs share: the configuration, the exit codes, and how an error is told.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "config/load.hpp"
#include "makegood/result.hpp"

namespace makegood::cli {

/// What they mean is a table in program.cpp: the help of the program and docs/reference/cli.md are made of it.
enum class Exit { ok = 0, failed = 1, usage = 2, configuration = 3 };
/// `Exit codes: 0 done, …`, for the help of every verb; and with all that is to be known, for that of the program.
std::string exit_codes();
std::string exit_codes_in_full();

/// Filled by the command line before a verb runs.
struct Program {
  // What the composition root knows.
  std::string version = {};
  std::string sqlite_version = {};
  std::string sqlite_warning = {};

  // The flags that verbs share.
  std::string config_file = {};
  std::vector<std::string> settings = {};  ///< `KEY=VALUE`.
  std::string store_url = {};
  std::vector<std::string> outboxes = {};
  std::vector<std::string> saga_logs = {};  ///< Of migrate and its parts.

  // Of the verbs that make calls.
  std::string server_url = {};
  std::string token_file = {};
  std::string operator_name = {};
  std::chrono::duration<double> wait = std::chrono::seconds(2);  ///< For the owner's answer, on a store.
  bool as_json = false;

  Exit exit = Exit::ok;
};

/// File, environment and flags, ready to be loaded.
Result<config::Sources> sources_of(const Program& program);
/// The configuration, or Errc::config_invalid with all mistakes. Warnings go to the error output.
Result<config::Config> load_config(const Program& program);
/// The one outbox that a verb works on; an error when several are configured and none was named.
Result<std::string> one_outbox(const config::Config& config);

/// The tables of idempotency keys are in the schema of the first outbox; empty: where the search path leads.
std::string schema_of_keys(const config::StoreConfig& store);

/// Whether a store's URL is of PostgreSQL: `postgres://` or `postgresql://`.
bool is_postgres(std::string_view store_url);

/// Prints one sentence with its code, and the diagnostics below it. Answers the exit code for it.
Exit tell(const Error& error);

}  // namespace makegood::cli
