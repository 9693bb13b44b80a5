// How answers are written: one way for times, for what is not there, and for lists.
#pragma once

#include <concepts>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/call.hpp"
#include "api/sketch.hpp"
#include "base/json.hpp"
#include "makegood/clock.hpp"

namespace makegood::api {

/// Writes JSON; and, with a sketch, puts down what it writes: so what an answer looks like is described in one place,
/// the function that writes it.
class Writer : public json::Writer {
 public:
  using json::Writer::Writer;
  Sketch* sketch = nullptr;
};
/// Of a writer with a sketch: there is such a member. Asked for before a schema is made: answers are many.
inline void note(Writer& writer, std::string_view name, const Schema& schema, std::string_view says,
                 bool is_always = true) {
  writer.sketch->add(name, schema, says, is_always);
}

// `says` is one sentence for those who read answers.

/// Bytes that are not UTF-8 (a producer may write what it likes) become `\xNN`, so that none is lost.
void put(Writer& writer, std::string_view name, std::string_view text, std::string_view says = {});
/// An empty text means: there is none.
void put_or_null(Writer& writer, std::string_view name, std::string_view text, std::string_view says = {});
void put(Writer& writer, std::string_view name, TimePoint time, std::string_view says = {});
void put(Writer& writer, std::string_view name, const std::optional<TimePoint>& time, std::string_view says = {});
void put(Writer& writer, std::string_view name, double number, std::string_view says = {});
void put_null(Writer& writer, std::string_view name);
/// A number that may be below 0; the others are not.
void put_signed(Writer& writer, std::string_view name, std::int64_t number, std::string_view says = {});
/// A text that is one of these words.
void put_one_of(Writer& writer, std::string_view name, std::string_view text,
                std::initializer_list<std::string_view> words, std::string_view says = {});
/// JSON that is there already.
void put_json(Writer& writer, std::string_view name, std::string_view json, const Schema& schema = {},
              std::string_view says = {});
void put_milliseconds(Writer& writer, std::string_view name, Duration duration, std::string_view says = {});

template <class Flag>
  requires std::same_as<Flag, bool>
void put(Writer& writer, std::string_view name, Flag flag, std::string_view says = {}) {
  if (writer.sketch != nullptr) note(writer, name, Schema("boolean"), says);
  json::write(writer, name, flag);
}

template <std::integral Number>
  requires(!std::same_as<Number, bool>)
void put(Writer& writer, std::string_view name, Number number, std::string_view says = {}) {
  if (writer.sketch != nullptr) note(writer, name, Schema("integer").number("minimum", std::int64_t{0}), says);
  json::write(writer, name, static_cast<std::int64_t>(number));
}

template <std::integral Number>
void put(Writer& writer, std::string_view name, const std::optional<Number>& number, std::string_view says = {}) {
  number ? put(writer, name, *number) : put_null(writer, name);
  if (writer.sketch != nullptr) note(writer, name, Schema().json("type", R"(["integer","null"])"), says);
}

/// The word for an enumerator; `last` is the last of them all.
template <class Enum>
void put_word(Writer& writer, std::string_view name, Enum value, Enum last, std::string_view says = {}) {
  json::write(writer, name, to_string(value));
  if (writer.sketch == nullptr) return;
  std::vector<std::string_view> words;
  for (int i = 0; i <= static_cast<int>(last); ++i) words.push_back(to_string(static_cast<Enum>(i)));
  note(writer, name, Schema("string").texts("enum", words), says);
}

/// What is in an object, by the function that writes its members.
template <class PutMembers>
Schema schema_of(Schemas& named, PutMembers put_members) {
  rapidjson::StringBuffer unread;
  Writer writer(unread);
  Sketch sketch(named);
  writer.sketch = &sketch;
  writer.StartObject();
  put_members(writer);
  return sketch.schema();
}
/// The same under its name; what a reader says of it counts more, for it has limits and defaults.
template <class PutMembers>
Schema keep_schema(Schemas& named, std::string_view name, PutMembers put_members) {
  named.try_emplace(std::string(name), schema_of(named, put_members).str());
  return named_schema(name);
}

/// An object; `schema` is the name that its description has.
template <class PutMembers>
void put_object(Writer& writer, std::string_view name, std::string_view schema, PutMembers put_members,
                std::string_view says = {}) {
  if (writer.sketch != nullptr) {
    return note(writer, name, keep_schema(writer.sketch->named, schema, put_members), says);
  }
  json::write_name(writer, name);
  writer.StartObject();
  put_members(writer);
  writer.EndObject();
}

template <class Items, class PutItem>
void put_array(Writer& writer, std::string_view name, const Items& items, PutItem put_item) {
  json::write_name(writer, name);
  writer.StartArray();
  for (const auto& item : items) put_item(writer, item);
  writer.EndArray();
}

/// A list of objects; `put_members` writes what is in one of them.
template <class Items, class PutMembers>
void put_objects(Writer& writer, std::string_view name, std::string_view schema, const Items& items,
                 PutMembers put_members, std::string_view says = {}) {
  if (writer.sketch != nullptr) {
    const auto put_empty = [&](Writer& to) { put_members(to, typename Items::value_type{}); };
    const Schema item = keep_schema(writer.sketch->named, schema, put_empty);
    return note(writer, name, Schema("array").json("items", item.str()), says);
  }
  put_array(writer, name, items, [&](Writer& to, const auto& item) {
    to.StartObject();
    put_members(to, item);
    to.EndObject();
  });
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
/// The same of a value.
template <class Value, class PutValue>
Answer answer_of(const Value& value, PutValue put_value, int status = 200) {
  return object_answer(status, [&](Writer& writer) { put_value(writer, value); });
}

/// {"items":[…],"next":…}: a list that has one page.
template <class Items, class PutMembers>
void put_list(Writer& writer, std::string_view schema, const Items& items, PutMembers put_members) {
  put_objects(writer, "items", schema, items, put_members);
  put_null(writer, "next");
}
/// And one that may have more.
template <class Items, class PutMembers>
void put_page(Writer& writer, std::string_view schema, const Items& items, std::string_view next,
              PutMembers put_members) {
  put_objects(writer, "items", schema, items, put_members);
  put_or_null(writer, "next", next, "`cursor` of the next page; null: this was the last.");
}

}  // namespace makegood::api
