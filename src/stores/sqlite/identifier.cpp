#include "stores/sqlite/identifier.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace makegood::sqlite {
namespace {

constexpr std::size_t name_max = 63;
constexpr std::string_view placeholder = "{outbox}";

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_letter_or_digit(char c) { return is_letter(c) || (c >= '0' && c <= '9'); }

/// SQLite keeps such names for itself.
bool is_reserved(std::string_view name) {
  constexpr std::string_view prefix = "sqlite_";
  const auto same = [](char a, char b) { return (a | 0x20) == b || a == b; };
  return name.size() >= prefix.size() && std::ranges::equal(name.substr(0, prefix.size()), prefix, same);
}

}  // namespace

Result<Identifier> Identifier::from(std::string_view name) {
  const bool is_good = !name.empty() && name.size() <= name_max && is_letter(name.front()) &&
                       std::ranges::all_of(name, is_letter_or_digit) && !is_reserved(name);
  if (is_good) return Identifier(std::string(name));
  return Error{Errc::invalid, fmt::format("The outbox name must be 1 to {} letters, digits and _, not beginning with a "
                                          "digit or with sqlite_.",
                                          name_max)};
}

std::string Identifier::into(std::string_view sql) const {
  std::string text;
  text.reserve(sql.size() + 8 * name_.size());
  for (std::size_t at = sql.find(placeholder); at != std::string_view::npos; at = sql.find(placeholder)) {
    text.append(sql.substr(0, at)).append(name_);
    sql.remove_prefix(at + placeholder.size());
  }
  return text.append(sql);
}

}  // namespace makegood::sqlite
