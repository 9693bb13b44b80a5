// What a call says, taken field by field: from its query or from its body. What does not fit is a mistake that names
// the field, the value and what is allowed; what nobody took is a mistake too.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/json_value.hpp"
#include "api/mistakes.hpp"
#include "makegood/clock.hpp"

namespace makegood::api {

struct TextRule {
  bool is_required = false;
  std::size_t bytes_min = 1;
  std::size_t bytes_max = 255;
  bool may_be_long = false;  ///< Any length, any character: a document, not a name.
};
inline constexpr TextRule reason_rule{.bytes_min = 0, .bytes_max = 1000};

struct IntegerRange {
  std::int64_t low = std::numeric_limits<std::int64_t>::min();
  std::int64_t high = std::numeric_limits<std::int64_t>::max();
};
struct RealRange {
  double low = 0;
  double high = 0;
};

class Fields {
 public:
  /// `a=1&b=x%20y`.
  static Fields of_query(std::string_view query, Mistakes& mistakes);
  /// `prefix` goes before each name in a mistake: `retry.`.
  static Fields of_object(std::string_view json, Mistakes& mistakes, std::string prefix = {});

  // Nothing, or the value given: the field is not there, is null, or is a mistake that has been noted.
  std::string text(std::string_view name, TextRule rule = {});
  std::optional<std::int64_t> integer(std::string_view name, IntegerRange range);
  /// A list of them; at most so many.
  std::vector<std::int64_t> integers(std::string_view name, IntegerRange range, std::size_t count_max);
  std::optional<double> real(std::string_view name, RealRange range);
  bool flag(std::string_view name, bool absent = false);
  std::optional<TimePoint> time(std::string_view name);
  /// The place of its text among `allowed`.
  std::optional<std::size_t> choice(std::string_view name, std::span<const std::string_view> allowed);
  /// A JSON object of texts.
  std::map<std::string, std::string> texts(std::string_view name);
  /// Null when it is not there.
  const JsonValue* object(std::string_view name);
  const JsonValue* array(std::string_view name);
  /// Whatever it is, a null too.
  const JsonValue* any(std::string_view name);

  void require(std::string_view name);
  bool has(std::string_view name) const { return find(name) != nullptr; }
  void mistake(std::string_view name, std::string_view problem) { mistakes_.add(prefix_ + std::string(name), problem); }
  /// What was not asked for until now is not known.
  void refuse_the_rest();

 private:
  Fields(Mistakes& mistakes, std::string prefix, bool is_query)
      : mistakes_(mistakes), prefix_(std::move(prefix)), is_query_(is_query) {}
  void add(JsonMember member);
  const JsonValue* find(std::string_view name) const;
  std::string hint_for(const std::string& name) const;
  std::optional<std::int64_t> integer_in(std::string_view name, const JsonValue& value, IntegerRange range);
  const JsonValue* take(std::string_view name);
  const JsonValue* take(std::string_view name, JsonValue::Kind kind, std::string_view what);
  /// The characters of a number or of a word such as `true`.
  std::string_view word(const JsonValue& value) const { return is_query_ ? value.text : value.source; }

  Mistakes& mistakes_;
  std::string prefix_;
  bool is_query_;
  std::vector<JsonMember> members_;
  std::vector<std::string> known_;
};

}  // namespace makegood::api
