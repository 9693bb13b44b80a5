#include "makegood/result.hpp"

#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

#include "makegood/spi/assert.hpp"

namespace makegood {

std::string_view to_string(Severity severity) {
  switch (severity) {
    case Severity::info:
      return "info";
    case Severity::warning:
      return "warning";
    case Severity::error:
      return "error";
    case Severity::critical:
      return "critical";
  }
  std::unreachable();
}

void stop_without_value(const Error& error) {
  std::fprintf(stderr, "makegood: %s: %s %s\n", std::string(to_string(error.code)).c_str(), error.message.c_str(),
               error.diagnostics.c_str());
  std::abort();
}

void assertion_failed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "makegood: broken invariant at %s:%d: %s\n", file, line, condition);
  std::abort();
}

}  // namespace makegood
