#include "base/error_table.hpp"

#include <array>

namespace makegood {
namespace {

constexpr auto rows() {
  using enum Errc;
  using enum Severity;
  using enum Fault;
  constexpr bool retry = true;
  constexpr bool final = false;
  // clang-format off
  return std::to_array<ErrorRow>({
    {unavailable,            "unavailable",            "PROVIDER.UNAVAILABLE",      retry, warning,  503, moment},
    {timeout,                "timeout",                "TX.TIMEOUT",                retry, warning,  504, moment},
    {rejected,               "rejected",               "TX.REJECTED",               final, error,    409, delivery},
    {no_route,               "no_route",               "TX.NO_ROUTE",               final, error,    409, delivery},
    {expired,                "expired",                "TX.EXPIRED",                final, warning,  409, delivery},
    {dead_letter,            "dead_letter",            "TX.DEADLETTER",             final, error,    409, delivery},
    {cancelled,              "cancelled",              "TX.CANCELLED",              final, info,     409, delivery},
    {poison,                 "poison",                 "TX.POISON",                 final, critical, 409, delivery},
    {idempotent_hit,         "idempotent_hit",         "TX.IDEMPOTENT_HIT",         final, info,     409, delivery},
    {idempotent_busy,        "idempotent_busy",        "TX.IDEMPOTENT_BUSY",        retry, info,     409, delivery},
    {idempotent_last_failed, "idempotent_last_failed", "TX.IDEMPOTENT_LAST_FAILED", final, warning,  409, delivery},
    {idempotent_mismatch,    "idempotent_mismatch",    "TX.IDEMPOTENT_MISMATCH",    final, error,    422, delivery},
    {payload_too_large,      "payload_too_large",      "TX.PAYLOAD_TOO_LARGE",      final, error,    413, caller},
    {not_compensable,        "not_compensable",        "TX.NOT_COMPENSABLE",        final, error,    409, delivery},
    {fenced,                 "fenced",                 "TX.FENCED",                 retry, warning,  409, moment},
    // It may have been done; to ask again is right where the call can be repeated.
    {in_doubt,               "in_doubt",               "TX.IN_DOUBT",               retry, warning,  503, moment},
    {not_in_transaction,     "not_in_transaction",     "TX.NOT_IN_TRANSACTION",     final, error,    500, ours},
    {validation_failed,      "validation_failed",      "SCHEMA.VALIDATION_FAILED",  final, error,    422, caller},
    {conflict,               "conflict",               "STORAGE.CONFLICT",          final, warning,  409, caller},
    {store_unavailable,      "store_unavailable",      "STORAGE.UNAVAILABLE",       retry, error,    503, store},
    {store_full,             "store_full",             "STORAGE.FULL",              retry, critical, 507, store},
    {store_corrupt,          "store_corrupt",          "STORAGE.CORRUPT",           final, critical, 500, store},
    {store_foreign,          "store_foreign",          "STORAGE.FOREIGN",           final, critical, 503, store},
    {counter_behind,         "counter_behind",         "STORAGE.COUNTER_BEHIND",    final, critical, 503, store},
    {log_changed,            "log_changed",            "STORAGE.LOG_CHANGED",       final, critical, 503, store},
    {schema_mismatch,        "schema_mismatch",        "STORAGE.SCHEMA",            final, critical, 503, store},
    {invalid,                "invalid",                "REQUEST.INVALID",           final, error,    400, caller},
    {not_found,              "not_found",              "REQUEST.NOT_FOUND",         final, info,     404, caller},
    {config_invalid,         "config_invalid",         "CONFIG.INVALID",            final, critical, 400, caller},
    {internal,               "internal",               "UNKNOWN.INTERNAL",          final, critical, 500, ours},
  });
  // clang-format on
}
constexpr auto error_rows = rows();

constexpr bool is_in_order() {
  for (std::size_t i = 0; i < error_rows.size(); ++i) {
    if (static_cast<std::size_t>(error_rows.at(i).code) != i) return false;
  }
  return error_rows.back().code == Errc::internal;
}
static_assert(is_in_order(), "a code has no row, or not in its place");

}  // namespace

std::span<const ErrorRow> error_table() { return error_rows; }
const ErrorRow& row_of(Errc code) { return error_rows.at(static_cast<std::size_t>(code)); }

std::string_view to_string(Errc code) { return row_of(code).text; }
bool is_retryable(Errc code) { return row_of(code).is_retryable; }
Severity severity_of(Errc code) { return row_of(code).severity; }

}  // namespace makegood
