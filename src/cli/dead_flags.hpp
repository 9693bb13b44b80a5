// Which dead letters: the flags that the verbs of `makegood dead` share.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "cli/url_text.hpp"
#include "makegood/result.hpp"

namespace makegood::cli {

struct DeadFlags {
  std::string tenant = {};
  std::string topic = {};
  std::string destination = {};
  std::string code = {};
  std::string state = {};
  std::string from = {};
  std::string until = {};
};

/// All but `--state`.
void add_dead_flags(CLI::App& verb, DeadFlags& flags);
void add_dead_state_flag(CLI::App& verb, DeadFlags& flags);
Result<Query> query_of(const DeadFlags& flags);
/// The same as the `filter` of a replay.
Result<std::string> filter_json(const DeadFlags& flags);
bool is_empty(const DeadFlags& flags);

}  // namespace makegood::cli
