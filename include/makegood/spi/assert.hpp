// Broken invariants stop the process, in release builds too: going on would turn a bug into lost data.
#pragma once

namespace makegood {

[[noreturn]] void assertion_failed(const char* condition, const char* file, int line);

}  // namespace makegood

#define MAKEGOOD_ASSERT(condition) \
  ((condition) ? static_cast<void>(0) : ::makegood::assertion_failed(#condition, __FILE__, __LINE__))
