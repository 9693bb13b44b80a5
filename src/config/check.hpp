// What no key can know alone: values that do not fit together, and values that are legal but unwise.
#pragma once

#include "config/mistake.hpp"

namespace makegood::config {

/// Adds to `findings`. A key that already has a mistake is not judged again.
void check_together(const Config& config, Findings& findings);

}  // namespace makegood::config
