#include "makegood/destination.hpp"

#include "makegood/events.hpp"

namespace makegood {

bool matches(std::string_view pattern, std::string_view topic) {
  if (is_event_topic(topic) && !is_event_topic(pattern)) return false;
  // Greedy, with one place to come back to: the last star and what it had swallowed.
  std::size_t p = 0;
  std::size_t t = 0;
  std::size_t star = std::string_view::npos;
  std::size_t star_topic = 0;
  while (t < topic.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      star_topic = t;
    } else if (p < pattern.size() && pattern[p] == topic[t]) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++star_topic;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

bool is_destination_name(std::string_view name) {
  constexpr std::string_view allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.:-/";
  return !name.empty() && name.size() <= 255 && name.find_first_not_of(allowed) == std::string_view::npos;
}

}  // namespace makegood
