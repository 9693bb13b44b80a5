// Verbs that change something: who asks, why, and what became of it.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>

#include "cli/client.hpp"

namespace makegood::cli {

struct Asking {
  const char* name;
  const char* description;
  const char* next;  ///< What the owner of the lane does then, as the end of a sentence.
};

enum class Reason { optional, required };

/// `--operator` and `--wait`.
void add_operator_flags(CLI::App& verb, Program& program);
/// Those, and `--reason`.
void add_asking_flags(CLI::App& verb, Program& program, std::string& reason, Reason need = Reason::optional);
/// Says what became of a request, in its answer's words or for people.
Result<> tell_asked(const Program& program, const Asking& asking, const std::string& answer);
/// An answer of POST …/apply: what changes, with + - ~; and whether it is in force.
void print_difference(const std::string& answer);
Result<> tell_applied(const Program& program, const std::string& answer);

bool has_terminal();
/// Asks on the terminal; an error is a no. Where there is none, nobody can say yes: only --yes does.
Result<> confirm(const std::string& question, const std::string& otherwise);

}  // namespace makegood::cli
