#include "cli/substitution.hpp"

#include <algorithm>
#include <optional>

namespace makegood::cli {
namespace {

std::optional<std::string> variable_in(const config::Environment& environment, std::string_view name) {
  const auto found = std::ranges::find(environment, name, &std::pair<std::string, std::string>::first);
  if (found == environment.end() || found->second.empty()) return std::nullopt;
  return found->second;
}

/// What is between the braces.
void put_in(Substituted& made, std::string_view inside, const config::Environment& environment) {
  const std::size_t otherwise = inside.find(":-");
  const std::string_view name = inside.substr(0, otherwise);
  if (const auto value = variable_in(environment, name)) {
    made.text += *value;
  } else if (otherwise != std::string_view::npos) {
    made.text += inside.substr(otherwise + 2);
  } else {
    made.missing.emplace_back(name);
  }
}

}  // namespace

Substituted substitute(std::string_view text, const config::Environment& environment) {
  Substituted made;
  while (true) {
    const std::size_t begin = text.find("${");
    made.text += text.substr(0, begin);
    if (begin == std::string_view::npos) return made;
    if (begin > 0 && text[begin - 1] == '$') {
      made.text.back() = '$';
      made.text += '{';
      text.remove_prefix(begin + 2);
      continue;
    }
    const std::size_t end = text.find('}', begin);
    made.is_open = end == std::string_view::npos;
    if (made.is_open) return made;
    put_in(made, text.substr(begin + 2, end - begin - 2), environment);
    text.remove_prefix(end + 1);
  }
}

}  // namespace makegood::cli
