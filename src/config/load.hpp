// From file, environment and flags to one checked Config.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/environment.hpp"
#include "config/mistake.hpp"

namespace makegood::config {

/// A value from the command line.
struct Flag {
  std::string name;  ///< As the user wrote it: `--store`, `--set`.
  std::string key;
  std::string value;
};

/// In rising priority. Kept by whoever wants to load again later.
struct Sources {
  std::optional<std::string> file = {};
  Environment environment = {};
  std::vector<Flag> flags = {};
  std::string service_account = {};  ///< The folder of the pod's account in Kubernetes; empty: none is looked for.
};

/// `config` is fit for use only when there are no mistakes.
struct Loaded {
  Config config = {};
  Findings findings = {};
};

/// Never stops at the first mistake.
Loaded load(const Sources& sources);

/// The file to read: the one asked for, else MAKEGOOD_CONFIG, else makegood.yaml of the working folder if it is there.
std::optional<std::string> find_file(const std::string& asked_for, const Environment& environment);

}  // namespace makegood::config
