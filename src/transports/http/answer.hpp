// What a status means for a delivery.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "makegood/clock.hpp"
#include "makegood/delivery.hpp"
#include "makegood/result.hpp"

namespace makegood::http {

enum class Verdict : std::uint8_t { ok, retry, fail, disable };

/// Longer than this nobody waits, whatever the destination asks for.
inline constexpr Duration retry_after_max = std::chrono::hours(24 * 365);

/// The usual table, and what a destination has changed of it (`404`, `4xx`).
class AnswerTable {
 public:
  /// Every mistake in one error.
  static Result<AnswerTable> from(const std::map<std::string, std::string>& changes);
  /// A status changed by itself counts before its class, and both before the usual table.
  Verdict verdict_on(int status) const;

 private:
  std::map<int, Verdict> by_status_;
  std::map<int, Verdict> by_class_;  ///< 4 for `4xx`.
};

/// Seconds, or a date of HTTP; nothing when it is neither, or in the past. At most `retry_after_max`.
std::optional<Duration> parse_retry_after(std::string_view text, TimePoint now);

/// The detail names the status and what it usually means, in our words: the response's own may echo the payload, or a
/// secret.
Outcome outcome_of(int status, std::string_view retry_after, const AnswerTable& table, TimePoint now);

}  // namespace makegood::http
