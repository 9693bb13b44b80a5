// makegood version: what this binary is, and what it runs on.
#include <fmt/format.h>

#include "cli/print.hpp"
#include "cli/verbs.hpp"

namespace makegood::cli {

void add_version(CLI::App& app, Program& program) {
  CLI::App& verb = *app.add_subcommand("version", "Print the versions of Makegood and of SQLite");
  run(verb, program, [&program]() -> Result<> {
    fmt::print("makegood {}\nSQLite {}\n", program.version, program.sqlite_version);
    if (!program.sqlite_warning.empty()) warn(program.sqlite_warning);
    return {};
  });
}

}  // namespace makegood::cli
