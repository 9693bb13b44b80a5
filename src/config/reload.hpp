// Taking over a changed configuration while the process runs.
#pragma once

#include <string>
#include <vector>

#include "config/load.hpp"

namespace makegood::config {

/// A value that is now written differently.
struct Change {
  std::string key;
  std::string from;
  std::string to;
};

struct Reload {
  Config config;                           ///< What is to be used from now on.
  std::vector<Change> changed = {};        ///< Taken over.
  std::vector<Change> needs_restart = {};  ///< Not taken over: the key cannot change in a running process.
  Findings findings = {};                  ///< With any mistake nothing is taken over at all.
};

/// Reads the sources anew.
Reload reload(const Sources& sources, const Config& running);
/// One line for each thing that happened, for the log.
std::vector<std::string> describe(const Reload& reload);

}  // namespace makegood::config
