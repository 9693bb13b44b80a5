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
/// A thing that happened, and how much it matters.
struct Told {
  LogLevel level = LogLevel::info;
  std::string line;
};
/// Each thing in a line of its own, for the log.
std::vector<Told> describe(const Reload& reload);

}  // namespace makegood::config
