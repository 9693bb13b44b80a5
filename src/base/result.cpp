#include "makegood/result.hpp"

#include <cstdio>
#include <cstdlib>
#include <utility>

#include "makegood/assert.hpp"

namespace makegood {
namespace {

struct Meaning {
  std::string_view text;
  bool is_retryable;
  Severity severity;
};

constexpr Meaning meaning_of(Errc code) {
  using enum Severity;
  switch (code) {
    case Errc::unavailable:
      return {"PROVIDER.UNAVAILABLE", true, warning};
    case Errc::timeout:
      return {"TX.TIMEOUT", true, warning};
    case Errc::rejected:
      return {"TX.REJECTED", false, error};
    case Errc::no_route:
      return {"TX.NO_ROUTE", false, error};
    case Errc::expired:
      return {"TX.EXPIRED", false, warning};
    case Errc::dead_letter:
      return {"TX.DEADLETTER", false, error};
    case Errc::poison:
      return {"TX.POISON", false, critical};
    case Errc::idempotent_hit:
      return {"TX.IDEMPOTENT_HIT", false, info};
    case Errc::idempotent_busy:
      return {"TX.IDEMPOTENT_BUSY", true, info};
    case Errc::idempotent_last_failed:
      return {"TX.IDEMPOTENT_LAST_FAILED", false, warning};
    case Errc::idempotent_mismatch:
      return {"TX.IDEMPOTENT_MISMATCH", false, error};
    case Errc::payload_too_large:
      return {"TX.PAYLOAD_TOO_LARGE", false, error};
    case Errc::not_compensable:
      return {"TX.NOT_COMPENSABLE", false, error};
    case Errc::fenced:
      return {"TX.FENCED", true, warning};
    case Errc::in_doubt:
      return {"TX.IN_DOUBT", true, warning};
    case Errc::not_in_transaction:
      return {"TX.NOT_IN_TRANSACTION", false, error};
    case Errc::validation_failed:
      return {"SCHEMA.VALIDATION_FAILED", false, error};
    case Errc::conflict:
      return {"STORAGE.CONFLICT", false, warning};
    case Errc::store_unavailable:
      return {"STORAGE.UNAVAILABLE", true, error};
    case Errc::store_full:
      return {"STORAGE.FULL", true, critical};
    case Errc::store_corrupt:
      return {"STORAGE.CORRUPT", false, critical};
    case Errc::store_foreign:
      return {"STORAGE.FOREIGN", false, critical};
    case Errc::counter_behind:
      return {"STORAGE.COUNTER_BEHIND", false, critical};
    case Errc::schema_mismatch:
      return {"STORAGE.SCHEMA", false, critical};
    case Errc::invalid:
      return {"REQUEST.INVALID", false, error};
    case Errc::not_found:
      return {"REQUEST.NOT_FOUND", false, info};
    case Errc::config_invalid:
      return {"CONFIG.INVALID", false, critical};
    case Errc::internal:
      return {"UNKNOWN.INTERNAL", false, critical};
  }
  std::unreachable();
}

}  // namespace

std::string_view to_string(Errc code) { return meaning_of(code).text; }
bool is_retryable(Errc code) { return meaning_of(code).is_retryable; }
Severity severity_of(Errc code) { return meaning_of(code).severity; }

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

void assertion_failed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "makegood: broken invariant at %s:%d: %s\n", file, line, condition);
  std::abort();
}

}  // namespace makegood
