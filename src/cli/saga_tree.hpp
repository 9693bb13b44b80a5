// An execution of a saga as a tree for people: its steps, how long each took, what was undone, what is open.
#pragma once

#include <string>
#include <vector>

#include "cli/json_view.hpp"

namespace makegood::cli {

struct TreeStyle {
  TimePoint now = {};
  bool has_colours = false;
  bool has_attempts = false;  ///< Each one, also where a single one went well.
};

/// Lines without their ends, of an answer of GET /api/saga/executions/{execution}.
std::vector<std::string> saga_tree(const Json& execution, const TreeStyle& style);
/// `80 ms`, `1.2 s`, then as ages are.
std::string span_text(Duration span);

}  // namespace makegood::cli
