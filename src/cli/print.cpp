#include "cli/print.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "config/mistake.hpp"

namespace makegood::cli {
namespace {

/// How many columns a text takes, nearly: its code points.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char letter) { return (static_cast<unsigned char>(letter) & 0xC0U) != 0x80U; }));
}

bool is_control(char letter) { return static_cast<unsigned char>(letter) < 0x20 || letter == '\x7f'; }

void widen(std::vector<std::size_t>& widths, const Row& row) {
  for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
}

void print_row(const std::vector<std::size_t>& widths, const Row& row) {
  std::string line;
  for (std::size_t i = 0; i < row.size(); ++i) {
    line += row[i];
    if (i + 1 < row.size()) line.append(widths[i] - width_of(row[i]) + 2, ' ');
  }
  line.erase(line.find_last_not_of(' ') + 1);
  fmt::print("{}\n", line);
}

}  // namespace

void print_table(const Row& head, const std::vector<Row>& rows) {
  std::vector<Row> lines = {head};
  for (const Row& row : rows) {
    Row& line = lines.emplace_back();
    for (const std::string& cell : row) line.push_back(config::printable(cell));
  }
  std::vector<std::size_t> widths(head.size(), 0);
  for (const Row& line : lines) widen(widths, line);
  for (const Row& line : lines) print_row(widths, line);
}

std::string json_text(std::string_view text) {
  std::string result = "\"";
  while (!text.empty()) {
    const auto* const control = std::ranges::find_if(text, is_control);
    const auto length = static_cast<std::size_t>(control - text.begin());
    for (const char letter : config::printable(text.substr(0, length))) {
      if (letter == '"' || letter == '\\') result += '\\';
      result += letter;
    }
    text.remove_prefix(length);
    if (text.empty()) break;
    result += fmt::format("\\u{:04x}", static_cast<unsigned char>(text.front()));
    text.remove_prefix(1);
  }
  return result + "\"";
}

std::string json_object(const std::vector<std::pair<std::string_view, std::string>>& members) {
  std::string result;
  for (const auto& [name, value] : members) {
    result += fmt::format("{}{}:{}", result.empty() ? "" : ",", json_text(name), value);
  }
  return "{" + result + "}";
}

std::string json_array(const std::vector<std::string>& values) {
  return fmt::format("[{}]", fmt::join(values, ",\n "));
}

void warn(std::string_view sentence) { fmt::print(stderr, "makegood: warning: {}\n", config::printable(sentence)); }

}  // namespace makegood::cli
