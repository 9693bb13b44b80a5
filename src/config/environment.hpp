// Values from environment variables: MAKEGOOD_<KEY> for every key, and the family OUTBOX_*.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "config/assignment.hpp"

namespace makegood::config {

using Environment = std::vector<std::pair<std::string, std::string>>;

/// The variables of this process.
Environment process_environment();

/// An empty variable counts as not set. MAKEGOOD_* wins over OUTBOX_*. An unknown name that is near a known one is a
/// warning and not a mistake: Kubernetes puts MAKEGOOD_PORT and the like there by itself.
Reading read_environment(const Environment& environment);

}  // namespace makegood::config
