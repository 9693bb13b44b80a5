#include "api/json_out.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "api/path.hpp"
#include "api/time_text.hpp"

namespace makegood::api {
namespace {

/// How many bytes of valid UTF-8 the text begins with, up to four; 0: none.
std::size_t character_length(std::string_view text) {
  for (std::size_t length = 1; length <= std::min<std::size_t>(4, text.size()); ++length) {
    if (is_utf8(text.substr(0, length))) return length;
  }
  return 0;
}

std::string mended(std::string_view text) {
  std::string whole;
  while (!text.empty()) {
    const std::size_t length = character_length(text);
    whole += length == 0 ? fmt::format("\\x{:02x}", static_cast<unsigned char>(text.front()))
                         : std::string(text.substr(0, length));
    text.remove_prefix(std::max<std::size_t>(1, length));
  }
  return whole;
}

}  // namespace

void put(Writer& writer, std::string_view name, std::string_view text, std::string_view says) {
  if (writer.sketch != nullptr) note(writer, name, Schema("string"), says);
  is_utf8(text) ? json::write(writer, name, text) : json::write(writer, name, std::string_view(mended(text)));
}

void put_or_null(Writer& writer, std::string_view name, std::string_view text, std::string_view says) {
  text.empty() ? put_null(writer, name) : put(writer, name, text);
  if (writer.sketch != nullptr) note(writer, name, Schema().json("type", R"(["string","null"])"), says);
}

void put(Writer& writer, std::string_view name, TimePoint time, std::string_view says) {
  put(writer, name, std::string_view(time_text(time)));
  if (writer.sketch != nullptr) note(writer, name, named_schema("Time"), says);
}

void put(Writer& writer, std::string_view name, const std::optional<TimePoint>& time, std::string_view says) {
  time ? put(writer, name, *time) : put_null(writer, name);
  if (writer.sketch != nullptr)
    note(writer, name, Schema().json("type", R"(["string","null"])").text("format", "date-time"), says);
}

void put(Writer& writer, std::string_view name, double number, std::string_view says) {
  if (writer.sketch != nullptr) note(writer, name, Schema("number"), says);
  json::write(writer, name, number);
}

void put_signed(Writer& writer, std::string_view name, std::int64_t number, std::string_view says) {
  if (writer.sketch != nullptr) note(writer, name, Schema("integer"), says);
  json::write(writer, name, number);
}

void put_one_of(Writer& writer, std::string_view name, std::string_view text,
                std::initializer_list<std::string_view> words, std::string_view says) {
  if (writer.sketch != nullptr)
    note(writer, name, Schema("string").texts("enum", std::span(words.begin(), words.size())), says);
  json::write(writer, name, text);
}

void put_null(Writer& writer, std::string_view name) {
  if (writer.sketch != nullptr) note(writer, name, Schema("null"), {});
  json::write_name(writer, name);
  writer.Null();
}

void put_json(Writer& writer, std::string_view name, std::string_view json, const Schema& schema,
              std::string_view says) {
  if (writer.sketch != nullptr) note(writer, name, schema, says);
  json::write_name(writer, name);
  writer.RawValue(json.data(), json.size(), rapidjson::kObjectType);
}

void put_milliseconds(Writer& writer, std::string_view name, Duration duration, std::string_view says) {
  put(writer, name, duration.count() / 1000, says);
}

}  // namespace makegood::api
