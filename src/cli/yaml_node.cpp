#include "cli/yaml_node.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/utf8.hpp"
#include "config/mistake.hpp"

namespace makegood::cli {
namespace {

using NodeKind = api::DocumentNode::Kind;

constexpr std::size_t shown_columns_max = 120;

api::TextPlace place_of(const YAML::Mark& mark) {
  return mark.is_null() ? api::TextPlace{} : api::TextPlace{mark.line + 1, mark.column + 1};
}

api::DocumentNode scalar_node(const YAML::Node& node) {
  const std::string& text = node.Scalar();
  const bool is_quoted = node.Tag() == "!";
  if (is_quoted) return {.kind = NodeKind::text, .text = text};
  if (text == "true" || text == "false") return {.kind = NodeKind::flag, .text = text};
  if (text == "null" || text == "~") return {};
  return {.kind = is_json_number(text) ? NodeKind::number : NodeKind::text, .text = text};
}

api::DocumentNode map_node(const YAML::Node& node, std::vector<api::DocumentMistake>& mistakes) {
  api::DocumentNode map{.kind = NodeKind::map};
  for (const auto& entry : node) {
    const api::TextPlace place = place_of(entry.first.Mark());
    if (!entry.first.IsScalar()) {
      mistakes.push_back({{}, place, "has a name that is not a word; write name: value"});
      continue;
    }
    map.names.push_back(entry.first.Scalar());
    map.name_places.push_back(place);
    map.items.push_back(node_from_yaml(entry.second, mistakes));
  }
  return map;
}

api::DocumentNode list_node(const YAML::Node& node, std::vector<api::DocumentMistake>& mistakes) {
  api::DocumentNode list{.kind = NodeKind::list};
  for (const YAML::Node& item : node) list.items.push_back(node_from_yaml(item, mistakes));
  return list;
}

std::string_view line_of(std::string_view text, int number) {
  for (; number > 1; --number) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + 1);
  }
  return text.substr(0, text.find_first_of("\r\n"));
}

/// What takes no column of its own: the further bytes of a character.
bool is_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }

}  // namespace

bool is_json_number(const std::string& text) {
  double ignored = 0;
  const char* const end = text.data() + text.size();
  // JSON knows neither `+1` nor `.5` nor `nan`.
  const bool begins_well = !text.empty() && (text[0] == '-' || (text[0] >= '0' && text[0] <= '9'));
  const auto [rest, error] = std::from_chars(text.data(), end, ignored);
  const bool has_leading_zero = text.size() > 1 && text[0] == '0' && text[1] >= '0' && text[1] <= '9';
  return begins_well && error == std::errc() && rest == end && !has_leading_zero && text.back() != '.';
}

api::DocumentNode node_from_yaml(const YAML::Node& node, std::vector<api::DocumentMistake>& mistakes) {
  api::DocumentNode made;
  if (node.IsMap()) made = map_node(node, mistakes);
  if (node.IsSequence()) made = list_node(node, mistakes);
  if (node.IsScalar()) made = scalar_node(node);
  made.place = place_of(node.Mark());
  return made;
}

std::string excerpt_of(std::string_view text, api::TextPlace place) {
  if (place.line == 0) return {};
  std::string line(cut(line_of(text, place.line), shown_columns_max));
  std::ranges::replace(line, '\t', ' ');
  const auto column = static_cast<std::size_t>(place.column - 1);
  // What a terminal would obey is not shown, and then there is nothing to put a mark under.
  if (column > line.size() || config::printable(line) != line) return {};
  const auto before = line.substr(0, column);
  const auto width = before.size() - static_cast<std::size_t>(std::ranges::count_if(before, is_continuation));
  return fmt::format("{:>5} | {}\n      | {}^", place.line, line, std::string(width, ' '));
}

}  // namespace makegood::cli
