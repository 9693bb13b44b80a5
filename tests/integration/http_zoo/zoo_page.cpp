#include "tests/integration/http_zoo/zoo_page.hpp"

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace makegood {
namespace {

std::string trimmed(const std::string& text) {
  const std::string around = " `";
  const std::size_t begin = text.find_first_not_of(around);
  return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(around) - begin + 1);
}

/// | `animal` | what it does | what we do | `code` | why |
std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream rest(line.substr(1));
  for (std::string cell; std::getline(rest, cell, '|');) cells.push_back(trimmed(cell));
  return cells;
}

}  // namespace

std::vector<PageRow> rows_under(const std::string& heading) {
  std::ifstream page(MAKEGOOD_ZOO_PAGE);
  if (!page) throw std::runtime_error("cannot read the page of the zoo");
  std::vector<PageRow> rows;
  bool is_under = false;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("## ")) is_under = line.substr(3) == heading;
    if (!is_under || !line.starts_with("| `")) continue;
    const auto cells = cells_of(line);
    if (cells.size() < 5) throw std::runtime_error("too few columns: " + line);
    rows.push_back({.animal = cells[0], .outcome = cells[2], .code = cells[3]});
  }
  return rows;
}

}  // namespace makegood
