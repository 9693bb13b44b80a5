// One value for one key, from one source.
#pragma once

#include <vector>

#include "config/mistake.hpp"
#include "config/value.hpp"

namespace makegood::config {

struct Assignment {
  const Key* key;
  Raw raw;
  Origin origin;
  Writing writing = Writing::plain;
};

/// What a source has to say.
struct Reading {
  std::vector<Assignment> assignments = {};
  Findings findings = {};
};

/// A mistake that tells the nearest known key.
Mistake unknown_key(std::string_view name, Origin where);

}  // namespace makegood::config
