// Structs as JSON: `MAKEGOOD_FIELDS(Order, user, cents)` beside a struct says what its members are called.
//
//   bool, integers, double, enumerations   numbers; integers keep all their digits
//   std::string                            a string; one that is no UTF-8 becomes {"base64": "…"}
//   std::optional                          null, or left out, is nothing
//   std::vector, std::map<std::string, …>  an array, an object
//   a struct with MAKEGOOD_FIELDS          an object; members that it does not know are passed over
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "makegood/result.hpp"
#include "makegood/spi/json_fields.hpp"

namespace makegood {

namespace fields {

template <class Struct, class Member>
struct Field {
  const char* name;
  Member Struct::* member;
};
template <class Struct, class Member>
constexpr Field<Struct, Member> field(const char* name, Member Struct::* member) {
  return {name, member};
}

template <class T>
concept Described = requires(const T* value) { makegood_fields_of(value); };

template <class T>
struct Element {};
template <class T>
struct Element<std::optional<T>> {
  using Optional = T;
};
template <class T>
struct Element<std::vector<T>> {
  using Item = T;
};
template <class T>
struct Element<std::map<std::string, T>> {
  using Value = T;
};
template <class T>
concept Optional = requires { typename Element<T>::Optional; };
template <class T>
concept List = requires { typename Element<T>::Item; };
template <class T>
concept Mapped = requires { typename Element<T>::Value; };

template <class T>
void write(FieldWriter& writer, const T& value) {
  if constexpr (std::same_as<T, bool>) {
    writer.boolean(value);
  } else if constexpr (std::is_enum_v<T>) {
    write(writer, static_cast<std::underlying_type_t<T>>(value));
  } else if constexpr (std::signed_integral<T>) {
    writer.integer(value);
  } else if constexpr (std::unsigned_integral<T>) {
    writer.natural(value);
  } else if constexpr (std::floating_point<T>) {
    writer.number(static_cast<double>(value));
  } else if constexpr (std::same_as<T, std::string>) {
    writer.text(value);
  } else if constexpr (Optional<T>) {
    value ? write(writer, *value) : writer.null();
  } else if constexpr (List<T>) {
    writer.begin_array();
    for (const typename Element<T>::Item& item : value) write(writer, item);
    writer.end_array();
  } else if constexpr (Mapped<T>) {
    writer.begin_object();
    for (const auto& [name, item] : value) {
      writer.name(name);
      write(writer, item);
    }
    writer.end_object();
  } else {
    static_assert(Described<T>, "Give this struct its fields with MAKEGOOD_FIELDS, in the namespace of the struct.");
    writer.begin_object();
    const auto put = [&](const auto& one) {
      writer.name(one.name);
      write(writer, value.*one.member);
    };
    std::apply([&](const auto&... each) { (put(each), ...); }, makegood_fields_of(&value));
    writer.end_object();
  }
}

inline Error mistake(std::string_view path, std::string_view problem) {
  return {Errc::validation_failed,
          "The field " + std::string(path.empty() ? "(all)" : path) + " " + std::string(problem)};
}
inline std::string below(const std::string& path, std::string_view name) {
  return path.empty() ? std::string(name) : path + "." + std::string(name);
}

template <class Whole, std::integral T>
Result<> take_integer(const std::optional<Whole>& number, T& value, const std::string& path) {
  if (!number || !std::in_range<T>(*number)) return mistake(path, "is no integer that fits.");
  value = static_cast<T>(*number);
  return {};
}
template <class From, class To>
Result<> take(From given, To& value, const std::string& path, std::string_view problem) {
  if (!given) return mistake(path, problem);
  value = *std::move(given);
  return {};
}

template <class T>
Result<> read(const FieldReader& reader, T& value, const std::string& path);

template <class Struct, class One>
Result<> read_member(const FieldReader& reader, Struct& value, const One& one, const std::string& path) {
  using Member = std::remove_cvref_t<decltype(value.*one.member)>;
  const auto found = reader.member(one.name);
  if (found) return read(*found, value.*one.member, below(path, one.name));
  if constexpr (Optional<Member>) {
    (value.*one.member).reset();
    return {};
  } else {
    return mistake(below(path, one.name), "is missing.");
  }
}

template <class T>
Result<> read(const FieldReader& reader, T& value, const std::string& path) {
  if constexpr (std::same_as<T, bool>) {
    return take(reader.boolean(), value, path, "is not true or false.");
  } else if constexpr (std::is_enum_v<T>) {
    std::underlying_type_t<T> number = {};
    MAKEGOOD_TRY(read(reader, number, path));
    value = static_cast<T>(number);
    return {};
  } else if constexpr (std::signed_integral<T>) {
    return take_integer(reader.integer(), value, path);
  } else if constexpr (std::unsigned_integral<T>) {
    return take_integer(reader.natural(), value, path);
  } else if constexpr (std::floating_point<T>) {
    const auto number = reader.number();
    if (!number) return mistake(path, "is no number.");
    value = static_cast<T>(*number);
    return {};
  } else if constexpr (std::same_as<T, std::string>) {
    return take(reader.text(), value, path, "is no text.");
  } else if constexpr (Optional<T>) {
    value.reset();
    return reader.is_null() ? Result<>() : read(reader, value.emplace(), path);
  } else if constexpr (List<T>) {
    const auto items = reader.items();
    if (!items) return mistake(path, "is no list.");
    value.clear();
    for (const FieldReader& item : *items) {
      typename Element<T>::Item one = {};
      MAKEGOOD_TRY(read(item, one, below(path, std::to_string(value.size()))));
      value.push_back(std::move(one));
    }
    return {};
  } else if constexpr (Mapped<T>) {
    const auto members = reader.members();
    if (!members) return mistake(path, "is no object.");
    value.clear();
    for (const auto& [name, member] : *members) MAKEGOOD_TRY(read(member, value[name], below(path, name)));
    return {};
  } else {
    static_assert(Described<T>, "Give this struct its fields with MAKEGOOD_FIELDS, in the namespace of the struct.");
    if (!reader.members()) return mistake(path, "is no object.");
    Result<> all;
    const auto take_one = [&](const auto& one) {
      all = read_member(reader, value, one, path);
      return bool(all);
    };
    std::apply([&](const auto&... each) { static_cast<void>((take_one(each) && ...)); }, makegood_fields_of(&value));
    return all;
  }
}

}  // namespace fields

/// The value as a JSON text.
template <class T>
std::string to_json(const T& value) {
  FieldWriter writer;
  fields::write(writer, value);
  return writer.take();
}

/// Errc::validation_failed names the field that is missing or of another kind, and never its value.
template <class T>
Result<T> from_json(std::string_view json) {
  const FieldReader reader = MAKEGOOD_TRY(FieldReader::parse(json));
  T value = {};
  MAKEGOOD_TRY(fields::read(reader, value, {}));
  return value;
}

}  // namespace makegood

#define MAKEGOOD_FIELDS_PARENS ()
#define MAKEGOOD_FIELDS_EXPAND(...) \
  MAKEGOOD_FIELDS_EXPAND3(MAKEGOOD_FIELDS_EXPAND3(MAKEGOOD_FIELDS_EXPAND3(MAKEGOOD_FIELDS_EXPAND3(__VA_ARGS__))))
#define MAKEGOOD_FIELDS_EXPAND3(...) \
  MAKEGOOD_FIELDS_EXPAND2(MAKEGOOD_FIELDS_EXPAND2(MAKEGOOD_FIELDS_EXPAND2(MAKEGOOD_FIELDS_EXPAND2(__VA_ARGS__))))
#define MAKEGOOD_FIELDS_EXPAND2(...) \
  MAKEGOOD_FIELDS_EXPAND1(MAKEGOOD_FIELDS_EXPAND1(MAKEGOOD_FIELDS_EXPAND1(MAKEGOOD_FIELDS_EXPAND1(__VA_ARGS__))))
#define MAKEGOOD_FIELDS_EXPAND1(...) __VA_ARGS__
#define MAKEGOOD_FIELDS_EACH(Struct, member, ...)     \
  ::makegood::fields::field(#member, &Struct::member) \
      __VA_OPT__(, MAKEGOOD_FIELDS_AGAIN MAKEGOOD_FIELDS_PARENS(Struct, __VA_ARGS__))
#define MAKEGOOD_FIELDS_AGAIN() MAKEGOOD_FIELDS_EACH

/// At namespace scope, after the struct, in its namespace; up to 60 members.
#define MAKEGOOD_FIELDS(Struct, ...)                                                           \
  [[maybe_unused]] constexpr auto makegood_fields_of(const Struct*) {                          \
    return std::make_tuple(MAKEGOOD_FIELDS_EXPAND(MAKEGOOD_FIELDS_EACH(Struct, __VA_ARGS__))); \
  }
