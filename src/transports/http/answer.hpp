// What was answered, and what its destination takes it for.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "makegood/clock.hpp"
#include "makegood/delivery.hpp"
#include "makegood/result.hpp"

namespace makegood::http {

/// Longer than this nobody waits, whatever the destination asks for.
inline constexpr Duration retry_after_max = std::chrono::hours(24 * 365);

/// What a destination has changed of the usual meanings (`404`, `4xx`).
class AnswerTable {
 public:
  /// Every mistake in one error.
  static Result<AnswerTable> from(const std::map<std::string, std::string>& changes);
  /// Nothing: as usual. A status changed by itself counts before its class.
  std::optional<Outcome::Kind> verdict_on(int status) const;

 private:
  std::map<int, Outcome::Kind> by_status_;
  std::map<int, Outcome::Kind> by_class_;  ///< 4 for `4xx`.
};

/// Seconds, or a date of HTTP; nothing when it is neither, or in the past. At most `retry_after_max`.
std::optional<Duration> parse_retry_after(std::string_view text, TimePoint now);

/// The detail names the status and what it usually means, in our words: the response's own may echo the payload, or a
/// secret. What goes well as usual has none.
Reply reply_of(int status, std::string_view retry_after, const AnswerTable& table, TimePoint now);

}  // namespace makegood::http
