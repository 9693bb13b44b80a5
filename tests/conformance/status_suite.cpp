#include "tests/conformance/status_suite.hpp"

#include <fstream>

namespace makegood::conformance {

std::vector<std::string> StatusSuite::statements_of_its_page() {
  std::ifstream page(MAKEGOOD_DOCS "/" + GetParam().name + ".md");
  std::vector<std::string> statements;
  std::string statement;
  bool is_sql = false;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("```")) {
      is_sql = line == "```sql";
      continue;
    }
    if (!is_sql || line.empty()) continue;
    statement += line + '\n';
    if (!line.ends_with(';')) continue;
    statements.push_back(std::exchange(statement, {}));
  }
  return statements;
}

std::string StatusSuite::statement_about(const std::string& words) {
  for (const std::string& statement : statements_of_its_page()) {
    if (statement.starts_with("--") && statement.substr(0, statement.find('\n')).find(words) != std::string::npos) {
      return statement;
    }
  }
  throw std::runtime_error("the page has no statement about: " + words);
}

}  // namespace makegood::conformance
