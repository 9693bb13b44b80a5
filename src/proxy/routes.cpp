#include "proxy/routes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>

namespace makegood::proxy {
namespace {

bool is_unreserved(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 || std::string_view("-._~").contains(letter);
}

std::optional<char> escaped_at(std::string_view text, std::size_t place) {
  if (text[place] != '%' || place + 2 >= text.size()) return {};
  unsigned value = 0;
  const auto [end, error] = std::from_chars(text.data() + place + 1, text.data() + place + 3, value, 16);
  if (error != std::errc() || end != text.data() + place + 3) return {};
  const char letter = static_cast<char>(value);
  return is_unreserved(letter) ? std::optional(letter) : std::nullopt;
}

std::string unescaped(std::string_view path) {
  std::string plain;
  plain.reserve(path.size());
  for (std::size_t i = 0; i < path.size(); ++i) {
    const auto letter = escaped_at(path, i);
    plain += letter.value_or(path[i]);
    if (letter) i += 2;
  }
  return plain;
}

/// Takes the first segment off; `/a/b` gives `a` and leaves `/b`.
std::string_view take_segment(std::string_view& path) {
  path.remove_prefix(path.starts_with('/') ? 1 : 0);
  const std::string_view segment = path.substr(0, path.find('/'));
  path.remove_prefix(segment.size());
  return segment;
}

void drop_segment(std::string& path) { path.erase(path.empty() ? 0 : path.rfind('/')); }

/// What is certain, and what nobody may change.
std::optional<Fate> fixed_fate(const Ending& ending) {
  if (ending.kind == Ending::Kind::never_left) return Fate::release;
  if (ending.kind != Ending::Kind::answered) return {};
  // They are about who asks, not about what was asked.
  if (ending.status == 401 || ending.status == 403) return Fate::release;
  return {};
}

Fate usual_fate(const Ending& ending) {
  if (ending.kind != Ending::Kind::answered) return Fate::hold;
  switch (ending.status) {
    case 425:
    case 429:
    case 503:
      return Fate::release;  // The upstream says that it has not begun.
    case 408:
    case 409:
      return Fate::hold;
    default:
      return ending.status < 500 ? Fate::store : Fate::hold;
  }
}

std::string name_of(const Ending& ending) {
  if (ending.kind == Ending::Kind::timeout) return "timeout";
  if (ending.kind == Ending::Kind::cut) return "cut";
  return fmt::format("{}", ending.status);
}

}  // namespace

std::string_view to_string(Fate fate) { return fate_words.at(static_cast<std::size_t>(fate)); }

std::string plain_path(std::string_view path) {
  const std::string readable = unescaped(path);
  std::string plain;
  std::string_view rest = readable;
  while (!rest.empty()) {
    const std::string_view segment = take_segment(rest);
    if (segment == "..") drop_segment(plain);
    if (segment.empty() || segment == "." || segment == "..") continue;
    plain += '/';
    plain += segment;
  }
  return plain.empty() ? "/" : plain;
}

bool fits(std::string_view pattern, std::string_view path) {
  while (!pattern.empty()) {
    const std::string_view wanted = take_segment(pattern);
    if (wanted == "**" && pattern.empty()) return true;
    if (path.empty()) return false;
    const std::string_view segment = take_segment(path);
    if (wanted != "*" && wanted != segment) return false;
    if (wanted == "*" && segment.empty()) return false;
  }
  return path.empty();
}

const Route* find_route(const std::vector<Route>& routes, std::string_view method, std::string_view path) {
  if (routes.empty()) return nullptr;
  const std::string plain = plain_path(path);
  const auto found = std::ranges::find_if(routes, [&](const Route& route) {
    return std::ranges::find(route.methods, method) != route.methods.end() && fits(route.path, plain);
  });
  return found == routes.end() ? nullptr : &*found;
}

Fate fate_of(const Route& route, const Ending& ending) {
  if (const auto fixed = fixed_fate(ending)) return *fixed;
  const auto chosen = route.answers.find(name_of(ending));
  return chosen == route.answers.end() ? usual_fate(ending) : chosen->second;
}

AfterLease after_crash(const Route& route) {
  const auto chosen = route.answers.find("crash");
  const bool is_released = chosen != route.answers.end() && chosen->second == Fate::release;
  return is_released ? AfterLease::take_over : AfterLease::hold;
}

}  // namespace makegood::proxy
