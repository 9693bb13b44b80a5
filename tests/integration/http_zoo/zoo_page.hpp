// The tables of docs/endpoint-zoo.md: what we do with each animal, as the reader is told.
#pragma once

#include <string>
#include <vector>

namespace makegood {

struct PageRow {
  std::string animal;
  std::string outcome;  ///< `delivered`, `retried`, `dead`, `disabled`.
  std::string code;     ///< `TX.TIMEOUT`, or empty.
};

/// The rows below a heading, up to the next.
std::vector<PageRow> rows_under(const std::string& heading);

}  // namespace makegood
