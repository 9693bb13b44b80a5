// So that a failed expectation can be read.
#pragma once

#include <ostream>

#include "makegood/observe.hpp"
#include "makegood/spi/store.hpp"

namespace makegood {

inline void PrintTo(const Position& position, std::ostream* out) { *out << encode(position); }
inline void PrintTo(const Scope& scope, std::ostream* out) { *out << to_string(scope); }
inline void PrintTo(ParkedState state, std::ostream* out) { *out << to_string(state); }
inline void PrintTo(LaneNews::Kind kind, std::ostream* out) { *out << to_string(kind); }

}  // namespace makegood
