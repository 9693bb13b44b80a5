#include "cli/saga_flags.hpp"

#include <fmt/format.h>

namespace makegood::cli {

void add_saga_flags(CLI::App& verb, Program& program, SagaName& name) {
  add_call_flags(verb, program);
  verb.add_option("execution", name.id, "Its id")->required()->type_name("EXECUTION");
  verb.add_option("--tenant", name.tenant, "Whose it is, if several tenants have one with this id")
      ->type_name("TENANT");
}

std::string execution_path(const SagaName& name, std::string_view below) {
  return fmt::format("/api/saga/executions/{}{}", percent_encoded(name.id), below);
}

Query execution_query(const SagaName& name) { return Query().add("tenant", name.tenant); }

void print_purged(const Json& answer) {
  if (number_at(answer, "purgedCount") == 0) return;
  fmt::print("{} executions that had ended before {} are kept no longer; 'makegood saga stats' still counts them.\n",
             number_at(answer, "purgedCount"), cell(answer, "purgedBefore"));
}

}  // namespace makegood::cli
