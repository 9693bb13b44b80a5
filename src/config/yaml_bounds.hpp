// How large a YAML text becomes when its aliases are written out. A few lines can stand for more than any memory holds.
#pragma once

#include <optional>
#include <string>

namespace makegood::config {

struct YamlExcess {
  int line = 0;
  std::string problem;  ///< `is nested deeper than 64 levels`.
  std::string advice;
};

/// Found while the text is read and before anything of it is kept. Throws what yaml-cpp throws when it is not YAML.
std::optional<YamlExcess> yaml_excess(const std::string& text);

}  // namespace makegood::config
