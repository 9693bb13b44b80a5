// The values of one run of a statement, in PostgreSQL's binary form.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "makegood/clock.hpp"

namespace makegood::postgres {

using Oid = unsigned int;

/// The types that we send; the numbers are PostgreSQL's own.
enum class Type : Oid { boolean = 16, bytea = 17, bigint = 20, text = 25, json = 114, timestamptz = 1184 };

/// A text that is stored as NULL when it is empty.
struct NullIfEmpty {
  std::string_view text;
};
/// A text for a parameter of type json.
struct Json {
  std::string_view text;
};
/// Bytes, for a parameter of type bytea.
struct Bytes {
  std::string_view bytes;
};

/// PostgreSQL has no text with a NUL in it.
std::string without_nul(std::string_view text);

/// Microseconds since 2000, as PostgreSQL counts them; what it cannot hold becomes the nearest that it can.
std::int64_t to_postgres(TimePoint time);
TimePoint from_postgres(std::int64_t microseconds);

/// A parameter of type text[], bigint[] and so on, for `unnest`.
class Array {
 public:
  explicit Array(Type element) : element_(element), bytes_(header_bytes, '\0') {}

  void add(std::int64_t value);
  void add(bool value);
  void add(TimePoint time);
  void add(std::string_view text);
  void add(const char* text) { add(std::string_view(text)); }
  void add(NullIfEmpty value);
  void add_null();
  /// Room for so many bytes, where that is known.
  void reserve(std::size_t bytes) { bytes_.reserve(header_bytes + bytes); }

  bool is_empty() const { return count_ == 0; }
  bool is_all_null() const { return null_count_ == count_; }
  std::size_t count() const { return count_; }
  Type element() const { return element_; }
  Oid type() const;
  /// With the header that comes before the elements.
  std::string encoded() &&;

 private:
  static constexpr std::size_t header_bytes = 20;
  void begin_element(std::size_t bytes);

  Type element_;
  std::size_t count_ = 0;
  std::size_t null_count_ = 0;  ///< As long as there is nothing else, they are only counted.
  std::string bytes_;
};

/// All values are copied, or moved here.
class Parameters {
 public:
  template <class... Values>
  explicit Parameters(const Values&... values) {
    (add(values), ...);
  }

  template <std::integral Number>
  void add(Number value) {
    add_number(static_cast<std::int64_t>(value));
  }
  void add(bool value);
  void add(TimePoint time);
  void add(std::string_view text);
  void add(const std::string& text) { add(std::string_view(text)); }
  void add(const char* text) { add(std::string_view(text)); }
  void add(NullIfEmpty value);
  void add(Json value);
  void add(Bytes value);
  void add(Array array);
  void add(std::optional<std::int64_t> value);
  void add(std::optional<TimePoint> time);
  void add_null(Type type);
  /// In the place of another number.
  void set_number(std::size_t index, std::int64_t value);
  bool operator==(const Parameters&) const = default;

  int count() const { return static_cast<int>(types_.size()); }
  const Oid* types() const { return types_.data(); }

  /// As libpq wants them; points into this object.
  struct Pointers {
    std::vector<const char*> values;
    std::vector<int> lengths;
    std::vector<int> formats;
  };
  Pointers pointers() const;

 private:
  void add_number(std::int64_t value);
  void add_bytes(Oid type, std::string_view bytes);

  static constexpr int null_length = -1;
  std::string bytes_;                ///< All values but arrays, one after the other.
  std::vector<std::string> arrays_;  ///< As they come.
  std::vector<Oid> types_;
  std::vector<int> lengths_;    ///< Of each value.
  std::vector<char> is_array_;  ///< Each value.
};

}  // namespace makegood::postgres
