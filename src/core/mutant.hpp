// Classic mistakes, kept where they would be made, so that the simulator can show that it would notice each of them.
// Only the simulator's own build of the core has them; everywhere else they are constants that the compiler removes.
#pragma once

#include <string_view>

namespace makegood::core {

#ifdef MAKEGOOD_MUTANTS
bool is_mutant(std::string_view name);
#else
constexpr bool is_mutant(std::string_view /*name*/) { return false; }
#endif

}  // namespace makegood::core
