#include "transports/http/answer.hpp"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "transports/http/status_names.hpp"

namespace makegood::http {
namespace {

std::optional<Verdict> parse_verdict(std::string_view text) {
  if (text == "ok") return Verdict::ok;
  if (text == "retry") return Verdict::retry;
  if (text == "fail") return Verdict::fail;
  if (text == "disable") return Verdict::disable;
  return std::nullopt;
}

bool is_status_digit(char c) { return c >= '0' && c <= '9'; }

/// Of `404` and `4xx`: no others can be an answer, for 1xx only announces one.
std::optional<int> parse_class(std::string_view text) {
  if (text.size() != 3 || text[0] < '2' || text[0] > '5' || text.substr(1) != "xx") return std::nullopt;
  return text[0] - '0';
}
std::optional<int> parse_status(std::string_view text) {
  if (text.size() != 3 || text[0] < '2' || text[0] > '5' || !is_status_digit(text[1]) || !is_status_digit(text[2])) {
    return std::nullopt;
  }
  return (text[0] - '0') * 100 + (text[1] - '0') * 10 + (text[2] - '0');
}

Verdict usual_verdict_on(int status) {
  if (status == 410) return Verdict::disable;
  if (status == 408 || status == 425 || status == 429) return Verdict::retry;
  switch (status / 100) {
    case 2:
      return Verdict::ok;
    case 3:  // Not followed: a redirect could lead anywhere, so whoever set the destination up must follow it.
    case 4:
      return Verdict::fail;
    default:  // 5xx, and what HTTP does not know: no reason to give a message up.
      return Verdict::retry;
  }
}

}  // namespace

Result<AnswerTable> AnswerTable::from(const std::map<std::string, std::string>& changes) {
  AnswerTable table;
  std::vector<std::string> mistakes;
  for (const auto& [key, value] : changes) {
    const auto verdict = parse_verdict(value);
    const auto status = parse_status(key);
    const auto status_class = parse_class(key);
    if (!verdict) mistakes.push_back(fmt::format("'{}' of '{}' is not ok, retry, fail or disable", value, key));
    if (!status && !status_class) mistakes.push_back(fmt::format("'{}' is not a status (404) or a class (4xx)", key));
    if (verdict && status) table.by_status_[*status] = *verdict;
    if (verdict && status_class) table.by_class_[*status_class] = *verdict;
  }
  if (!mistakes.empty()) return Error{Errc::config_invalid, fmt::format("{}", fmt::join(mistakes, "; "))};
  return table;
}

Verdict AnswerTable::verdict_on(int status) const {
  if (const auto found = by_status_.find(status); found != by_status_.end()) return found->second;
  if (const auto found = by_class_.find(status / 100); found != by_class_.end()) return found->second;
  return usual_verdict_on(status);
}

Outcome outcome_of(int status, std::string_view retry_after, const AnswerTable& table, TimePoint now) {
  const Verdict verdict = table.verdict_on(status);
  if (verdict == Verdict::ok) return Outcome::ok();
  const std::string_view name = name_of_status(status);
  std::string detail = name.empty() ? fmt::format("answered {}", status) : fmt::format("answered {} {}", status, name);
  switch (verdict) {
    case Verdict::ok:
      break;
    case Verdict::fail:
      return Outcome::fail(std::string(to_string(Errc::rejected)), std::move(detail));
    case Verdict::disable:
      return Outcome::gone(std::string(to_string(Errc::rejected)), std::move(detail));
    case Verdict::retry:
      Outcome outcome = Outcome::retry(std::string(to_string(Errc::unavailable)), std::move(detail));
      outcome.retry_after = parse_retry_after(retry_after, now).value_or(Duration::zero());
      return outcome;
  }
  std::unreachable();
}

}  // namespace makegood::http
