// JSON as text: one value found in another without changing a character of it. Numbers keep the digits they came with.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"

namespace makegood::json {

/// How deep a document may be nested; a few bytes must not cost a stack.
inline constexpr std::size_t depth_max = 64;

/// The value that `text` begins with, after spaces; nothing when it begins with none. What is inside it is not checked.
std::optional<std::string_view> first_value(std::string_view text);
/// Where a path of names and indexes leads, `text` being JSON; nothing: nowhere. Of a name that is there twice the last
/// one counts.
std::optional<std::string_view> value_at(std::string_view text, std::span<const std::string> path);
/// The elements of a list as they are written, `text` being JSON; nothing: it is no list.
std::optional<std::vector<std::string>> elements_of(std::string_view text);
/// The characters that a JSON string stands for; nothing when it is not a JSON string.
std::optional<std::string> unquoted(std::string_view text);
/// Writes a whole JSON text as a value, without its spaces. False when it is not JSON or is nested too deeply; then
/// what was written is of no use.
bool copy(Writer& writer, std::string_view text);
bool is_json(std::string_view text);
/// The text without its spaces; nothing when it is not JSON.
std::optional<std::string> compact(std::string_view text);

}  // namespace makegood::json
