// The configuration file.
#pragma once

#include <string>

#include "config/assignment.hpp"

namespace makegood::config {

/// Keys may be nested maps, dotted, or a mixture. Relative paths in it start from the file's folder.
Reading read_yaml_file(const std::string& file);

}  // namespace makegood::config
