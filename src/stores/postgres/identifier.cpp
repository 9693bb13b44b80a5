#include "stores/postgres/identifier.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

namespace makegood::postgres {
namespace {

/// PostgreSQL cuts longer names off without an error, and two that were different may become one.
constexpr std::size_t name_bytes_max = 63;
/// Of `_request_sequence`, the longest that is put behind an outbox's name.
constexpr std::size_t suffix_bytes_max = 17;
constexpr std::size_t outbox_bytes_max = name_bytes_max - suffix_bytes_max;

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }
char small(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; }
bool is_word(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; }

std::string doubled(std::string_view text, char quote) {
  std::string result(1, quote);
  for (const char c : text) {
    if (c == quote) result += c;
    result += c;
  }
  return result += quote;
}

/// Takes a quoted part from the front of `text`. Nothing: it has no end.
std::optional<std::string> take_quoted(std::string_view& text) {
  std::string part;
  for (text.remove_prefix(1); !text.empty(); text.remove_prefix(1)) {
    if (text.front() == '"') {
      text.remove_prefix(1);
      const bool is_end = text.empty() || text.front() != '"';
      if (is_end) return part;
    }
    part += text.front();
  }
  return std::nullopt;
}

/// Takes a part without quotes, up to the next dot.
std::optional<std::string> take_plain(std::string_view& text) {
  std::string part(text.substr(0, text.find('.')));
  text.remove_prefix(part.size());
  if (part.find('"') != std::string::npos) return std::nullopt;
  std::ranges::transform(part, part.begin(), small);
  return part;
}

/// Empty when the text is not one or two parts with a dot between them.
std::vector<std::string> parts_of(std::string_view text) {
  std::vector<std::string> parts;
  while (true) {
    const bool is_quoted = text.starts_with('"');
    auto part = is_quoted ? take_quoted(text) : take_plain(text);
    if (!part || part->empty() || std::ranges::any_of(*part, is_control)) return {};
    parts.push_back(*std::move(part));
    if (text.empty()) return parts;
    if (parts.size() == 2 || text.front() != '.') return {};
    text.remove_prefix(1);
  }
}

}  // namespace

std::string quoted(std::string_view name) { return doubled(name, '"'); }

Result<Identifier> Identifier::from(std::string_view text) {
  std::vector<std::string> parts = parts_of(text);
  if (parts.empty()) {
    return Error{Errc::invalid,
                 "The outbox name must read name or schema.name, in double quotes where there is a dot or a quote in "
                 "it, and without control characters."};
  }
  std::string name = std::move(parts.back());
  std::string schema = parts.size() == 2 ? std::move(parts.front()) : std::string();
  if (name.size() > outbox_bytes_max || schema.size() > name_bytes_max) {
    return Error{Errc::invalid, fmt::format("The outbox name must have at most {} bytes, and its schema at most {}.",
                                            outbox_bytes_max, name_bytes_max)};
  }
  return Identifier(std::move(schema), std::move(name));
}

std::string Identifier::in_schema(std::string_view name) const {
  return schema_.empty() ? quoted(name) : quoted(schema_) + "." + quoted(name);
}

std::string Identifier::qualified(std::string_view suffix) const { return in_schema(name_ + std::string(suffix)); }

std::string Identifier::into(std::string_view sql) const {
  std::string text;
  text.reserve(2 * sql.size());
  for (std::size_t at = sql.find('{'); at != std::string_view::npos; at = sql.find('{')) {
    text.append(sql.substr(0, at));
    sql.remove_prefix(at);
    const std::size_t end = sql.find('}') + 1;
    const std::string_view mark = sql.substr(0, end);
    sql.remove_prefix(end);
    const std::string_view word(sql.begin(), std::ranges::find_if_not(sql, is_word));
    if (mark == "{text}" || mark == "{regclass}") {
      text += mark == "{text}" ? doubled(name_, '\'') : doubled(qualified(), '\'') + "::regclass";
      continue;
    }
    sql.remove_prefix(word.size());
    if (mark == "{outbox}") text += qualified(word);
    if (mark == "{name}") text += quoted(name_ + std::string(word));
    if (mark == "{schema}") text += in_schema(word);
  }
  return text.append(sql);
}

}  // namespace makegood::postgres
