// How answers are written: one way for times, for what is not there, and for lists.
#pragma once

#include <concepts>
#include <optional>
#include <string>
#include <string_view>

#include "api/call.hpp"
#include "base/json.hpp"
#include "makegood/clock.hpp"

namespace makegood::api {

using json::Writer;

/// Bytes that are not UTF-8 (a producer may write what it likes) become U+FFFD.
void put(Writer& writer, std::string_view name, std::string_view text);
/// An empty text means: there is none.
void put_or_null(Writer& writer, std::string_view name, std::string_view text);
void put(Writer& writer, std::string_view name, TimePoint time);
void put(Writer& writer, std::string_view name, const std::optional<TimePoint>& time);
void put(Writer& writer, std::string_view name, double number);
void put_null(Writer& writer, std::string_view name);
/// JSON that is there already.
void put_json(Writer& writer, std::string_view name, std::string_view json);
void put_milliseconds(Writer& writer, std::string_view name, Duration duration);

template <class Flag>
  requires std::same_as<Flag, bool>
void put(Writer& writer, std::string_view name, Flag flag) {
  json::write(writer, name, flag);
}

template <std::integral Number>
  requires(!std::same_as<Number, bool>)
void put(Writer& writer, std::string_view name, Number number) {
  json::write(writer, name, static_cast<std::int64_t>(number));
}

template <std::integral Number>
void put(Writer& writer, std::string_view name, const std::optional<Number>& number) {
  number ? put(writer, name, *number) : put_null(writer, name);
}

template <class Items, class PutItem>
void put_array(Writer& writer, std::string_view name, const Items& items, PutItem put_item) {
  json::write_name(writer, name);
  writer.StartArray();
  for (const auto& item : items) put_item(writer, item);
  writer.EndArray();
}

/// `put_members` writes what is in the object.
template <class PutMembers>
Answer object_answer(int status, PutMembers put_members) {
  rapidjson::StringBuffer text;
  Writer writer(text);
  writer.StartObject();
  put_members(writer);
  writer.EndObject();
  return {.status = status, .body = {text.GetString(), text.GetSize()}};
}

/// {"items":[…],"next":…}; `put_item` writes one of them, whole.
template <class Items, class PutItem>
Answer list_answer(const Items& items, std::string_view next, PutItem put_item) {
  return object_answer(200, [&](Writer& writer) {
    put_array(writer, "items", items, put_item);
    put_or_null(writer, "next", next);
  });
}

}  // namespace makegood::api
