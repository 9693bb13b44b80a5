// The daemon, for every verb that runs one.
#pragma once

#include <string>

#include "cli/program.hpp"
#include "daemon/apply_at_start.hpp"
#include "makegood/result.hpp"

namespace makegood::cli {

/// Until a signal ends it. `apply_files`: what is made so at its start; null: nothing.
Result<> serve_with(Program& program, const std::string& listen, daemon::ApplyFiles apply_files, bool migrates);

}  // namespace makegood::cli
