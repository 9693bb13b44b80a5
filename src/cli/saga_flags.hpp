// What verbs about one execution share.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "cli/client.hpp"
#include "cli/url_text.hpp"
#include "cli/verbs.hpp"

namespace makegood::cli {

struct SagaName {
  std::string id = {};
  std::string tenant = {};
};

/// EXECUTION and `--tenant`, with the flags of all calls.
void add_saga_flags(CLI::App& verb, Program& program, SagaName& name);
/// `/api/saga/executions/ID` and what is below it.
std::string execution_path(const SagaName& name, std::string_view below = {});
Query execution_query(const SagaName& name);

/// That a list or a statistic does not have all that there ever was; nothing while it has.
void print_purged(const Json& answer);

}  // namespace makegood::cli
