// What a call says, taken field by field: from its query or from its body. What does not fit is a mistake that names
// the field, the value and what is allowed; what nobody took is a mistake too. A function that takes fields is also
// what describes them: run over nothing, it leaves a sketch of what it would take.
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

#include "api/call.hpp"
#include "api/json_value.hpp"
#include "api/sketch.hpp"
#include "base/mistakes.hpp"
#include "makegood/clock.hpp"

namespace makegood::api {

struct TextRule {
  bool is_required = false;
  std::size_t bytes_min = 1;
  std::size_t bytes_max = 255;
  bool may_be_long = false;      ///< Any length, any character: a document, not a name.
  bool is_destination = false;   ///< The name of one.
  bool may_be_null = false;      ///< As an answer has it, to be put back. Any null counts as left out.
  std::string_view says = {};    ///< One sentence for those who call.
  std::string_view absent = {};  ///< What it is when it is left out.
};
inline constexpr TextRule reason_rule{.bytes_min = 0, .bytes_max = 1000};

struct IntegerRange {
  std::int64_t low = std::numeric_limits<std::int64_t>::min();
  std::int64_t high = std::numeric_limits<std::int64_t>::max();
};
struct CountRange {
  std::size_t low = 0;
  std::size_t high = 0;
};
struct RealRange {
  double low = 0;
  double high = 0;
};

class Fields;
using ReadFields = std::function<void(Fields&)>;

class Fields {
 public:
  /// `a=1&b=x%20y`.
  static Fields of_query(std::string_view query, Mistakes& mistakes);
  /// `prefix` goes before each name in a mistake: `retry.`.
  static Fields of_object(std::string_view json, Mistakes& mistakes, std::string prefix = {});
  /// Reads nothing; what is asked for is sketched.
  static Fields of_nothing(Sketch& sketch, Mistakes& mistakes);

  // Nothing, or the value given: the field is not there, is null, or is a mistake that has been noted. `says` is one
  // sentence for those who call.
  std::string text(std::string_view name, const TextRule& rule = {});
  std::optional<std::int64_t> integer(std::string_view name, IntegerRange range, std::string_view says = {});
  std::int64_t integer_or(std::string_view name, std::int64_t absent, IntegerRange range, std::string_view says = {});
  /// A list of them; at most so many.
  std::vector<std::int64_t> integers(std::string_view name, IntegerRange range, std::size_t count_max,
                                     std::string_view says = {});
  std::optional<double> real(std::string_view name, RealRange range, std::string_view says = {});
  double real_or(std::string_view name, double absent, RealRange range, std::string_view says = {});
  bool flag(std::string_view name, std::string_view says = {});
  std::optional<TimePoint> time(std::string_view name, std::string_view says = {});
  /// The place of its text among `allowed`.
  std::optional<std::size_t> choice(std::string_view name, std::span<const std::string_view> allowed,
                                    std::string_view says = {});
  std::size_t choice_or(std::string_view name, std::size_t absent, std::span<const std::string_view> allowed,
                        std::string_view says = {});
  /// A JSON object of texts.
  std::map<std::string, std::string> texts(std::string_view name);
  /// An object with its own members; `schema` is the name that its description has. Not read when it is not there.
  void object(std::string_view name, std::string_view schema, const ReadFields& read, std::string_view says = {});
  /// A list of such objects; false when it is not there.
  bool objects(std::string_view name, std::string_view schema, CountRange range, const ReadFields& read);
  /// Null when it is not there. Nothing is known of what is in it.
  const JsonValue* object(std::string_view name, const Schema& schema = {}, std::string_view says = {});
  /// Whatever it is, a null too.
  const JsonValue* any(std::string_view name, std::string_view says = {});
  /// How many of these are there: it must be one of them.
  int count_of(std::span<const std::string_view> names);

  void require(std::string_view name);
  bool has(std::string_view name) const { return find(name) != nullptr; }
  /// It is there and is not null, which counts as left out.
  bool is_said(std::string_view name) const;
  std::size_t mistake_count() const { return mistakes_.count(); }
  void mistake(std::string_view name, std::string_view problem) { mistakes_.add(prefix_ + std::string(name), problem); }
  /// What was not asked for until now is not known.
  void refuse_the_rest();

 private:
  Fields(Mistakes& mistakes, std::string prefix, bool is_query)
      : mistakes_(mistakes), prefix_(std::move(prefix)), is_query_(is_query) {}
  /// Nothing is to be read. Asked before a schema is made: calls are many, and the document is made once.
  bool is_sketch() const { return sketch_ != nullptr; }
  /// True, so that its caller can return.
  bool sketched(std::string_view name, const Schema& schema, std::string_view says, bool is_required = false);
  Schema inner_sketch(std::string_view schema, const ReadFields& read);
  std::string checked(std::string_view name, const std::string& text, const TextRule& rule);
  void add(JsonMember member);
  const JsonValue* find(std::string_view name) const;
  std::string hint_for(const std::string& name) const;
  std::optional<std::int64_t> integer_in(std::string_view name, const JsonValue& value, IntegerRange range);
  const JsonValue* take(std::string_view name);
  const JsonValue* take(std::string_view name, JsonValue::Kind kind, std::string_view what);
  const JsonValue* array(std::string_view name) { return take(name, JsonValue::Kind::array, "a list"); }
  /// The characters of a number or of a word such as `true`.
  std::string_view word(const JsonValue& value) const { return is_query_ ? value.text : value.source; }

  Mistakes& mistakes_;
  std::string prefix_;
  bool is_query_;
  Sketch* sketch_ = nullptr;  ///< Null: there is something to read.
  std::vector<JsonMember> members_;
  std::vector<std::string> known_;
};

/// What `read` takes out of the fields; Errc::invalid with all mistakes, also about what it did not take.
template <class Read>
auto read_all(std::string_view what, Fields fields, const Mistakes& mistakes, Read read)
    -> Result<decltype(read(fields))> {
  auto taken = read(fields);
  fields.refuse_the_rest();
  if (!mistakes.empty()) return mistakes.as_error(what);
  return taken;
}
template <class Read>
auto read_body(const Call& call, Read read) {
  Mistakes mistakes;
  return read_all("The body", Fields::of_object(call.body, mistakes), mistakes, read);
}
template <class Read>
auto read_query(const Call& call, Read read) {
  Mistakes mistakes;
  return read_all("The query", Fields::of_query(call.query, mistakes), mistakes, read);
}

/// Of a body, where the path says it all.
inline bool nothing_more(Fields& /*body*/) { return true; }

}  // namespace makegood::api
