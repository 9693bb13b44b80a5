// Retry-After: seconds, or one of the three forms of a date that HTTP knows.
#include <curl/curl.h>

#include <algorithm>
#include <charconv>
#include <system_error>

#include "transports/http/answer.hpp"

namespace makegood::http {
namespace {

constexpr std::size_t date_bytes_max = 64;

std::string_view without_blanks(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

bool is_all_digits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

Duration seconds_of(std::string_view digits) {
  std::int64_t seconds = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), seconds);
  constexpr auto seconds_max = std::chrono::duration_cast<std::chrono::seconds>(retry_after_max);
  if (error == std::errc::result_out_of_range) return seconds_max;
  return std::min(std::chrono::seconds(seconds), seconds_max);
}

/// All three forms begin with the day of the week and hold a time; libcurl alone would accept "Mon" or "12:30".
bool looks_like_a_date(std::string_view text) {
  const auto is_letter = [](char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); };
  return text.size() >= 24 && text.size() <= date_bytes_max && std::ranges::all_of(text.substr(0, 3), is_letter) &&
         std::ranges::count(text, ':') == 2;
}

}  // namespace

std::optional<Duration> parse_retry_after(std::string_view text, TimePoint now) {
  text = without_blanks(text);
  if (is_all_digits(text)) {
    const Duration wait = seconds_of(text);
    return wait > Duration::zero() ? std::optional(wait) : std::nullopt;
  }
  if (!looks_like_a_date(text)) return std::nullopt;
  const time_t date = curl_getdate(std::string(text).c_str(), nullptr);
  if (date < 0) return std::nullopt;
  // In seconds: a date of the year 9999 does not fit into microseconds added to anything.
  const auto now_seconds = std::chrono::floor<std::chrono::seconds>(now.time_since_epoch());
  const auto wait = std::chrono::seconds(date) - now_seconds;
  if (wait <= std::chrono::seconds::zero()) return std::nullopt;
  return std::min<std::chrono::seconds>(wait, std::chrono::duration_cast<std::chrono::seconds>(retry_after_max));
}

}  // namespace makegood::http
