// For who has none.
#pragma once

#include "makegood/observe.hpp"

namespace makegood::engine {

/// This one, or one that listens to nothing.
inline Observer& or_nobody(Observer* observer) {
  static Observer nobody;
  return observer != nullptr ? *observer : nobody;
}

}  // namespace makegood::engine
