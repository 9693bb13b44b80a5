// Environment variables in a text: ${NAME} and ${NAME:-default}; $${ stands for ${.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/environment.hpp"

namespace makegood::cli {

struct Substituted {
  std::string text = {};
  std::vector<std::string> missing = {};  ///< Variables that are not set and have no default.
  bool is_open = false;                   ///< A ${ without its }.
};
/// An empty variable counts as not set, as everywhere.
Substituted substitute(std::string_view text, const config::Environment& environment);

}  // namespace makegood::cli
