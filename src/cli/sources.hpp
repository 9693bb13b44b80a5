// A source as flags say it.
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "cli/apply.hpp"
#include "makegood/result.hpp"

namespace makegood::cli {

struct NewSource {
  std::string name = {};
  /// Of its kind, as they were said, by flag. Kinds that have a setting of the same meaning share its flag.
  std::map<std::string_view, std::vector<std::string>> settings = {};
  std::string topic = {};
  std::string tenant = {};
  std::string backlog = {};
};

/// Its flags, but for the name.
void add_source_flags(CLI::App& verb, NewSource& source);
/// As the REST call takes it.
Result<std::string> source_json(const NewSource& source);

}  // namespace makegood::cli
