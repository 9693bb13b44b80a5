#include "api/json_out.hpp"

#include "api/path.hpp"
#include "api/time_text.hpp"

namespace makegood::api {
namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";

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
    whole += length == 0 ? replacement : text.substr(0, length);
    text.remove_prefix(std::max<std::size_t>(1, length));
  }
  return whole;
}

}  // namespace

void put(Writer& writer, std::string_view name, std::string_view text) {
  is_utf8(text) ? json::write(writer, name, text) : json::write(writer, name, std::string_view(mended(text)));
}

void put_or_null(Writer& writer, std::string_view name, std::string_view text) {
  text.empty() ? put_null(writer, name) : put(writer, name, text);
}

void put(Writer& writer, std::string_view name, TimePoint time) {
  put(writer, name, std::string_view(time_text(time)));
}

void put(Writer& writer, std::string_view name, const std::optional<TimePoint>& time) {
  time ? put(writer, name, *time) : put_null(writer, name);
}

void put(Writer& writer, std::string_view name, double number) { json::write(writer, name, number); }

void put_null(Writer& writer, std::string_view name) {
  json::write_name(writer, name);
  writer.Null();
}

void put_json(Writer& writer, std::string_view name, std::string_view json) {
  json::write_name(writer, name);
  writer.RawValue(json.data(), json.size(), rapidjson::kObjectType);
}

void put_milliseconds(Writer& writer, std::string_view name, Duration duration) {
  put(writer, name, duration.count() / 1000);
}

}  // namespace makegood::api
