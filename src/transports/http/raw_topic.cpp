#include "transports/http/raw_topic.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace makegood::http {
namespace {

constexpr std::string_view topic_scheme = "http:";

bool contains_any_case(std::string_view text, std::string_view lower_part) {
  const auto same = [](char left, char right) {
    return left == right || (left >= 'A' && left <= 'Z' && left + 32 == right);
  };
  return !std::ranges::search(text, lower_part, same).empty();
}

/// What one server takes for a step up, and another for a letter.
bool may_climb(std::string_view url) {
  const std::string_view path = url.substr(0, url.find_first_of("?#"));
  constexpr auto suspicious = std::to_array<std::string_view>({"%2e", "%2f", "%5c", "%25", "\\"});
  const auto is_in_path = [&](std::string_view part) { return contains_any_case(path, part); };
  return path.find("/..") != std::string_view::npos || path.find("/./") != std::string_view::npos ||
         path.ends_with("/.") || std::ranges::any_of(suspicious, is_in_path);
}

bool begins_with(std::string_view url, std::string_view prefix) {
  if (!url.starts_with(prefix)) return false;
  const std::string_view rest = url.substr(prefix.size());
  return rest.empty() || rest.front() == '/' || rest.front() == '?';
}

}  // namespace

Result<std::string> parse_raw_prefix(std::string_view prefix) {
  if (prefix.find_first_of("?#") != std::string_view::npos || may_climb(prefix)) {
    return Error{Errc::config_invalid, "A prefix has no query, no fragment and no dots or escapes to climb with."};
  }
  Url url = MAKEGOOD_TRY(parse_url(prefix));
  while (url.text.ends_with('/')) url.text.pop_back();
  return std::move(url.text);
}

Result<Url> parse_raw_topic(std::string_view topic, const std::vector<std::string>& prefixes) {
  if (!topic.starts_with(topic_scheme)) {
    return Error{Errc::invalid,
                 "This destination takes topics of the form http:<url> only; route the others elsewhere."};
  }
  const std::string_view text = topic.substr(topic_scheme.size());
  if (may_climb(text)) {
    return Error{Errc::invalid, "The URL in the topic has dots or escapes in its path that servers read differently."};
  }
  auto url = parse_url(text);
  if (!url) return Error{Errc::invalid, std::move(url).error().message};
  if (std::ranges::any_of(prefixes, [&](const std::string& prefix) { return begins_with(url->text, prefix); }))
    return url;
  return Error{Errc::invalid, "The URL in the topic begins with none of the destination's raw_prefixes."};
}

}  // namespace makegood::http
