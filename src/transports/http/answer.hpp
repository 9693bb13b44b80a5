// What a status or a failure means for a delivery.
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

/// The usual table, and what a destination has changed of it (`404`, `4xx`).
class AnswerTable {
 public:
  static Result<AnswerTable> from(const std::map<std::string, std::string>& changes);
  Verdict verdict_on(int status) const;

 private:
  std::map<int, Verdict> by_status_;
  std::map<int, Verdict> by_class_;  ///< 4 for `4xx`.
};

/// Seconds, or a date of HTTP; nothing when it is neither, or in the past.
std::optional<Duration> parse_retry_after(std::string_view text, TimePoint now);

/// The response's body is not in it: it may echo the payload, or a secret.
Outcome outcome_of(int status, std::string_view retry_after, const AnswerTable& table, TimePoint now);

}  // namespace makegood::http
