#include "transports/http/answer.hpp"

#include <fmt/format.h>

#include <vector>

#include "transports/http/status_names.hpp"

namespace makegood::http {
namespace {

std::optional<Outcome::Kind> parse_verdict(std::string_view text) {
  if (text == "ok") return Outcome::Kind::ok;
  if (text == "retry") return Outcome::Kind::retry;
  if (text == "fail") return Outcome::Kind::fail;
  if (text == "disable") return Outcome::Kind::gone;
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

std::optional<Outcome::Kind> AnswerTable::verdict_on(int status) const {
  if (const auto found = by_status_.find(status); found != by_status_.end()) return found->second;
  if (const auto found = by_class_.find(status / 100); found != by_class_.end()) return found->second;
  return std::nullopt;
}

Reply reply_of(int status, std::string_view retry_after, const AnswerTable& table, TimePoint now) {
  Reply reply{.status = status, .verdict = table.verdict_on(status)};
  if (status / 100 == 2 && !reply.verdict) return reply;
  const std::string_view name = name_of_status(status);
  reply.code = fmt::format("HTTP.{}", status);
  reply.detail = name.empty() ? fmt::format("answered {}", status) : fmt::format("answered {} {}", status, name);
  reply.retry_after = parse_retry_after(retry_after, now).value_or(Duration::zero());
  return reply;
}

}  // namespace makegood::http
