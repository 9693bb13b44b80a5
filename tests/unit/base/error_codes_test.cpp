// The texts of error codes are stored in databases, alarms and dashboards of others. This list may grow; a line that is
// changed or removed breaks them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <set>
#include <string_view>

#include "base/error_table.hpp"
#include "makegood/result.hpp"

namespace makegood {
namespace {

struct Promise {
  Errc code;
  std::string_view text;
  bool is_retryable;
  Severity severity;
};

constexpr std::array promises = {
    Promise{Errc::unavailable, "PROVIDER.UNAVAILABLE", true, Severity::warning},
    Promise{Errc::timeout, "TX.TIMEOUT", true, Severity::warning},
    Promise{Errc::rejected, "TX.REJECTED", false, Severity::error},
    Promise{Errc::no_route, "TX.NO_ROUTE", false, Severity::error},
    Promise{Errc::expired, "TX.EXPIRED", false, Severity::warning},
    Promise{Errc::dead_letter, "TX.DEADLETTER", false, Severity::error},
    Promise{Errc::cancelled, "TX.CANCELLED", false, Severity::info},
    Promise{Errc::poison, "TX.POISON", false, Severity::critical},
    Promise{Errc::idempotent_hit, "TX.IDEMPOTENT_HIT", false, Severity::info},
    Promise{Errc::idempotent_busy, "TX.IDEMPOTENT_BUSY", true, Severity::info},
    Promise{Errc::idempotent_last_failed, "TX.IDEMPOTENT_LAST_FAILED", false, Severity::warning},
    Promise{Errc::idempotent_mismatch, "TX.IDEMPOTENT_MISMATCH", false, Severity::error},
    Promise{Errc::payload_too_large, "TX.PAYLOAD_TOO_LARGE", false, Severity::error},
    Promise{Errc::not_compensable, "TX.NOT_COMPENSABLE", false, Severity::error},
    Promise{Errc::fenced, "TX.FENCED", true, Severity::warning},
    Promise{Errc::in_doubt, "TX.IN_DOUBT", true, Severity::warning},
    Promise{Errc::not_in_transaction, "TX.NOT_IN_TRANSACTION", false, Severity::error},
    Promise{Errc::validation_failed, "SCHEMA.VALIDATION_FAILED", false, Severity::error},
    Promise{Errc::conflict, "STORAGE.CONFLICT", false, Severity::warning},
    Promise{Errc::store_unavailable, "STORAGE.UNAVAILABLE", true, Severity::error},
    Promise{Errc::store_full, "STORAGE.FULL", true, Severity::critical},
    Promise{Errc::store_corrupt, "STORAGE.CORRUPT", false, Severity::critical},
    Promise{Errc::store_foreign, "STORAGE.FOREIGN", false, Severity::critical},
    Promise{Errc::counter_behind, "STORAGE.COUNTER_BEHIND", false, Severity::critical},
    Promise{Errc::log_changed, "STORAGE.LOG_CHANGED", false, Severity::critical},
    Promise{Errc::schema_mismatch, "STORAGE.SCHEMA", false, Severity::critical},
    Promise{Errc::invalid, "REQUEST.INVALID", false, Severity::error},
    Promise{Errc::not_found, "REQUEST.NOT_FOUND", false, Severity::info},
    Promise{Errc::config_invalid, "CONFIG.INVALID", false, Severity::critical},
    Promise{Errc::internal, "UNKNOWN.INTERNAL", false, Severity::critical},
};

TEST(ErrorCode, KeepsItsTextForEver) {
  for (const Promise& promise : promises) EXPECT_EQ(to_string(promise.code), promise.text);
}

TEST(ErrorCode, SaysWhetherToTryAgain) {
  for (const Promise& promise : promises) EXPECT_EQ(is_retryable(promise.code), promise.is_retryable) << promise.text;
}

TEST(ErrorCode, SaysHowLoudlyToTell) {
  for (const Promise& promise : promises) EXPECT_EQ(severity_of(promise.code), promise.severity) << promise.text;
}

TEST(ErrorCode, HasATextOfItsOwn) {
  std::set<std::string_view> texts;
  for (const Promise& promise : promises) texts.insert(to_string(promise.code));
  EXPECT_EQ(texts.size(), promises.size());
}

/// `internal` stays the last enumerator, so the list above is whole when it is as long as the enumeration.
TEST(ErrorCode, IsPromisedHereWithoutExceptions) {
  EXPECT_EQ(promises.size(), static_cast<std::size_t>(Errc::internal) + 1);
  for (std::size_t i = 0; i < promises.size(); ++i) EXPECT_EQ(static_cast<std::size_t>(promises.at(i).code), i);
}

std::string page_of_errors() {
  std::ifstream file(MAKEGOOD_ERRORS_PAGE);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

TEST(ErrorCode, IsOnThePageOfErrorsAsTheTableHasIt) {
  const std::string page = page_of_errors();
  for (const ErrorRow& row : error_table()) {
    const std::string beginning =
        fmt::format("\n| `{}` | `{}` | {} | {} | {} | ", row.text, row.name, row.is_retryable ? "yes" : "no",
                    to_string(row.severity), row.http_status);
    EXPECT_NE(page.find(beginning), std::string::npos) << beginning;
  }
}

/// Whoever calls an operation can do nothing about what is not the caller's fault, and the status says so.
TEST(ErrorCode, HasAStatusThatTellsWhoseFaultItIs) {
  for (const ErrorRow& row : error_table()) {
    const bool is_theirs = row.fault == Fault::caller || row.fault == Fault::delivery;
    const bool is_of_this_side = row.fault == Fault::store || row.fault == Fault::ours;
    EXPECT_TRUE(!is_theirs || row.http_status < 500) << row.text;
    EXPECT_TRUE(!is_of_this_side || row.http_status >= 500) << row.text;
  }
}

TEST(Severity, HasAText) {
  EXPECT_EQ(to_string(Severity::info), "info");
  EXPECT_EQ(to_string(Severity::warning), "warning");
  EXPECT_EQ(to_string(Severity::error), "error");
  EXPECT_EQ(to_string(Severity::critical), "critical");
}

}  // namespace
}  // namespace makegood
