#include "stores/postgres/parameters.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <utility>

namespace makegood::postgres {
namespace {

constexpr TimePoint year_2000 = std::chrono::sys_days(std::chrono::year(2000) / 1 / 1);
/// From 4713 BC to the year 294276.
constexpr std::int64_t time_min = -211813488000000000;
constexpr std::int64_t time_max = 9223371331200000000 - 1;

constexpr int binary_format = 1;

/// As it goes over the wire: the highest byte first.
template <class Number>
void append(std::string& bytes, Number value) {
  auto raw = std::bit_cast<std::array<char, sizeof(Number)>>(value);
  if constexpr (std::endian::native == std::endian::little) std::ranges::reverse(raw);
  bytes.append(raw.data(), raw.size());
}

Oid array_of(Type element) {
  switch (element) {
    case Type::boolean:
      return 1000;
    case Type::bytea:
      return 1001;
    case Type::bigint:
      return 1016;
    case Type::text:
      return 1009;
    case Type::json:
      return 199;
    case Type::timestamptz:
      return 1185;
  }
  std::unreachable();
}

}  // namespace

std::string without_nul(std::string_view text) {
  std::string result(text);
  std::erase(result, '\0');
  return result;
}

std::int64_t to_postgres(TimePoint time) {
  constexpr std::int64_t epoch = year_2000.time_since_epoch().count();
  const std::int64_t since_1970 = time.time_since_epoch().count();
  if (since_1970 < time_min + epoch) return time_min;  // The sum is in range: the epoch is positive.
  return std::min(since_1970 - epoch, time_max);
}

TimePoint from_postgres(std::int64_t microseconds) {
  constexpr std::int64_t latest = std::numeric_limits<std::int64_t>::max();
  if (microseconds > latest - year_2000.time_since_epoch().count()) return TimePoint::max();
  return year_2000 + Duration(microseconds);
}

void Array::begin_element(std::size_t bytes) {
  if (is_all_null()) {
    for (std::size_t count = 0; count < null_count_; ++count) append(bytes_, std::int32_t{-1});
  }
  ++count_;
  append(bytes_, static_cast<std::int32_t>(bytes));
}

void Array::add(std::int64_t value) {
  begin_element(sizeof(value));
  append(bytes_, value);
}

void Array::add(bool value) {
  begin_element(1);
  bytes_ += value ? '\1' : '\0';
}

void Array::add(TimePoint time) { add(to_postgres(time)); }

void Array::add(std::string_view text) {
  begin_element(text.size());
  bytes_.append(text);
}

void Array::add(NullIfEmpty value) {
  if (value.text.empty()) return add_null();
  add(value.text);
}

void Array::add_null() {
  if (!is_all_null()) append(bytes_, std::int32_t{-1});
  ++count_;
  ++null_count_;
}

Oid Array::type() const { return array_of(element_); }

std::string Array::encoded() && {
  if (is_all_null()) {
    for (std::size_t count = 0; count < null_count_; ++count) append(bytes_, std::int32_t{-1});
  }
  std::string header;
  append(header, std::int32_t{count_ > 0 ? 1 : 0});  // Dimensions.
  append(header, std::int32_t{null_count_ > 0 ? 1 : 0});
  append(header, static_cast<std::int32_t>(element_));
  if (count_ == 0) return header;
  append(header, static_cast<std::int32_t>(count_));
  append(header, std::int32_t{1});  // Counted from one.
  return std::move(bytes_.replace(0, header_bytes, header));
}

void Parameters::add_bytes(Oid type, std::string_view bytes) {
  types_.push_back(type);
  lengths_.push_back(static_cast<int>(bytes.size()));
  is_array_.push_back(0);
  bytes_.append(bytes);
}

void Parameters::add_number(std::int64_t value) {
  types_.push_back(std::to_underlying(Type::bigint));
  lengths_.push_back(sizeof(value));
  is_array_.push_back(0);
  append(bytes_, value);
}

void Parameters::add(bool value) { add_bytes(std::to_underlying(Type::boolean), {value ? "\1" : "\0", 1}); }

void Parameters::add(TimePoint time) {
  add_number(to_postgres(time));
  types_.back() = std::to_underlying(Type::timestamptz);
}

void Parameters::add(std::string_view text) { add_bytes(std::to_underlying(Type::text), text); }

void Parameters::add(NullIfEmpty value) {
  if (value.text.empty()) return add_null(Type::text);
  add(value.text);
}

void Parameters::add(Json value) { add_bytes(std::to_underlying(Type::json), value.text); }
void Parameters::add(Bytes value) { add_bytes(std::to_underlying(Type::bytea), value.bytes); }

void Parameters::add(Array array) {
  types_.push_back(array.type());
  arrays_.push_back(std::move(array).encoded());
  lengths_.push_back(static_cast<int>(arrays_.back().size()));
  is_array_.push_back(1);
}

void Parameters::add(std::optional<std::int64_t> value) {
  if (!value) return add_null(Type::bigint);
  add_number(*value);
}

void Parameters::add(std::optional<TimePoint> time) {
  if (!time) return add_null(Type::timestamptz);
  add(*time);
}

void Parameters::add_null(Type type) {
  types_.push_back(std::to_underlying(type));
  lengths_.push_back(null_length);
  is_array_.push_back(0);
}

/// Only where no array comes before it.
void Parameters::set_number(std::size_t index, std::int64_t value) {
  std::size_t at = 0;
  for (std::size_t before = 0; before < index; ++before) at += static_cast<std::size_t>(std::max(lengths_[before], 0));
  std::string number;
  append(number, value);
  bytes_.replace(at, number.size(), number);
}

Parameters::Pointers Parameters::pointers() const {
  Pointers pointers;
  pointers.lengths = lengths_;
  pointers.formats.assign(types_.size(), binary_format);
  pointers.values.reserve(types_.size());
  const char* next = bytes_.data();
  auto array = arrays_.begin();
  for (std::size_t index = 0; index < lengths_.size(); ++index) {
    if (is_array_[index] != 0) {
      pointers.values.push_back((array++)->data());
      continue;
    }
    pointers.values.push_back(lengths_[index] == null_length ? nullptr : next);
    next += std::max(lengths_[index], 0);
  }
  return pointers;
}

}  // namespace makegood::postgres
