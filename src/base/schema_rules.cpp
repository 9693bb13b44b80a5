#include "base/schema_rules.hpp"

#include <fmt/format.h>
#include <rapidjson/internal/regex.h>
#include <rapidjson/pointer.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace makegood {
namespace {

using rapidjson::Value;

constexpr std::array draft_types = {"array", "boolean", "integer", "null", "number", "object", "string"};

std::string_view text_of(const Value& value) { return {value.GetString(), value.GetStringLength()}; }

bool is_count(const Value& value) { return value.IsUint64(); }
bool is_filled_array(const Value& value) { return value.IsArray() && !value.Empty(); }
bool is_texts(const Value& value) {
  return value.IsArray() && std::all_of(value.Begin(), value.End(), [](const Value& v) { return v.IsString(); });
}
bool is_type(const Value& value) {
  return value.IsString() && std::ranges::find(draft_types, text_of(value)) != draft_types.end();
}
bool is_type_or_types(const Value& value) {
  return is_type(value) || (is_filled_array(value) && std::all_of(value.Begin(), value.End(), is_type));
}
bool is_draft_4(const Value& value) {
  if (!value.IsString()) return false;
  std::string_view text = text_of(value);
  if (text.ends_with('#')) text.remove_suffix(1);
  return text == "http://json-schema.org/draft-04/schema" || text == "https://json-schema.org/draft-04/schema";
}
/// A pattern that the validator cannot read would match everything.
bool is_readable_pattern(const Value& value) {
  return value.IsString() && value.GetStringLength() == std::string_view(value.GetString()).size() &&
         rapidjson::internal::Regex(value.GetString()).IsValid();
}

/// A keyword whose value is no schema.
struct Rule {
  std::string_view keyword;
  bool (*is_good)(const Value&);
  std::string_view wanted;
};
constexpr std::string_view a_count = "a number that is not negative";
constexpr std::array draft_rules = {
    Rule{"$schema", is_draft_4, "http://json-schema.org/draft-04/schema#"},
    Rule{"id", [](const Value& v) { return v.IsString(); }, "a text"},
    Rule{"title", [](const Value& v) { return v.IsString(); }, "a text"},
    Rule{"description", [](const Value& v) { return v.IsString(); }, "a text"},
    Rule{"format", [](const Value& v) { return v.IsString(); }, "a text"},
    Rule{"default", [](const Value&) { return true; }, ""},
    Rule{"type", is_type_or_types, "one or several of array, boolean, integer, null, number, object, string"},
    Rule{"enum", is_filled_array, "a list of values"},
    Rule{"required", is_texts, "a list of names"},
    Rule{"multipleOf", [](const Value& v) { return v.IsNumber() && v.GetDouble() > 0; }, "a number above 0"},
    Rule{"maximum", [](const Value& v) { return v.IsNumber(); }, "a number"},
    Rule{"minimum", [](const Value& v) { return v.IsNumber(); }, "a number"},
    Rule{"exclusiveMaximum", [](const Value& v) { return v.IsBool(); }, "true or false, beside maximum"},
    Rule{"exclusiveMinimum", [](const Value& v) { return v.IsBool(); }, "true or false, beside minimum"},
    Rule{"uniqueItems", [](const Value& v) { return v.IsBool(); }, "true or false"},
    Rule{"maxLength", is_count, a_count},
    Rule{"minLength", is_count, a_count},
    Rule{"maxItems", is_count, a_count},
    Rule{"minItems", is_count, a_count},
    Rule{"maxProperties", is_count, a_count},
    Rule{"minProperties", is_count, a_count},
    Rule{"pattern", is_readable_pattern,
         "a pattern of characters, . [ ] ( ) | ? * + { } ^ $ (no \\d, \\w or look-ahead)"},
};

enum class Holds { a_schema, schemas_by_name, schemas_by_pattern, schemas, schema_or_bool, items, dependencies };
struct Holder {
  std::string_view keyword;
  Holds holds;
};
constexpr std::array draft_holders = {
    Holder{"not", Holds::a_schema},
    Holder{"properties", Holds::schemas_by_name},
    Holder{"definitions", Holds::schemas_by_name},
    Holder{"patternProperties", Holds::schemas_by_pattern},
    Holder{"allOf", Holds::schemas},
    Holder{"anyOf", Holds::schemas},
    Holder{"oneOf", Holds::schemas},
    Holder{"additionalItems", Holds::schema_or_bool},
    Holder{"additionalProperties", Holds::schema_or_bool},
    Holder{"items", Holds::items},
    Holder{"dependencies", Holds::dependencies},
};

/// Walks through a schema and all within it.
class Walk {
 public:
  explicit Walk(const rapidjson::Document& document) : document_(document) {}

  void schema(const Value& value, const std::string& place) {
    if (!value.IsObject()) return wrong(place, "must be a schema, which is an object");
    for (const auto& [flag, limit] :
         {std::pair("exclusiveMaximum", "maximum"), std::pair("exclusiveMinimum", "minimum")}) {
      if (value.HasMember(flag) && !value.HasMember(limit)) wrong(place, fmt::format("has {} without {}", flag, limit));
    }
    for (const auto& member : value.GetObject()) {
      keyword(text_of(member.name), member.value, fmt::format("{}/{}", place, text_of(member.name)));
    }
  }
  std::vector<std::string> take() && { return std::move(mistakes_); }

 private:
  void wrong(const std::string& place, std::string_view why) { mistakes_.push_back(fmt::format("{} {}", place, why)); }

  void keyword(std::string_view name, const Value& value, const std::string& place) {
    if (name == "$ref") return reference(value, place);
    if (const auto* const rule = std::ranges::find(draft_rules, name, &Rule::keyword); rule != draft_rules.end()) {
      if (!rule->is_good(value)) wrong(place, fmt::format("must be {}", rule->wanted));
      return;
    }
    const auto* const holder = std::ranges::find(draft_holders, name, &Holder::keyword);
    if (holder == draft_holders.end()) return wrong(place, "is not a keyword of draft 4, so nothing would check it");
    held(holder->holds, value, place);
  }

  void held(Holds holds, const Value& value, const std::string& place) {
    switch (holds) {
      case Holds::a_schema:
        return schema(value, place);
      case Holds::schemas:
        return schemas(value, place);
      case Holds::schema_or_bool:
        return value.IsBool() ? void() : schema(value, place);
      case Holds::items:
        return value.IsArray() ? schemas(value, place) : schema(value, place);
      case Holds::schemas_by_name:
      case Holds::schemas_by_pattern:
      case Holds::dependencies:
        return by_name(holds, value, place);
    }
  }

  void schemas(const Value& value, const std::string& place) {
    if (!is_filled_array(value)) return wrong(place, "must be a list of schemas");
    for (rapidjson::SizeType i = 0; i < value.Size(); ++i) schema(value[i], fmt::format("{}/{}", place, i));
  }

  void by_name(Holds holds, const Value& value, const std::string& place) {
    if (!value.IsObject()) return wrong(place, "must be an object");
    for (const auto& member : value.GetObject()) {
      const std::string at = fmt::format("{}/{}", place, text_of(member.name));
      if (holds == Holds::schemas_by_pattern && !is_readable_pattern(member.name)) wrong(at, "is no pattern");
      if (holds == Holds::dependencies && is_texts(member.value)) continue;
      schema(member.value, at);
    }
  }

  /// Into this document, and to an end.
  void reference(const Value& value, const std::string& place) {
    constexpr int references_max = 100;
    const Value* target = &value;
    for (int count = 0; count < references_max; ++count) {
      if (!target->IsString() || !text_of(*target).starts_with('#')) break;
      const rapidjson::Pointer pointer(target->GetString(), target->GetStringLength());
      const Value* const led_to = pointer.IsValid() ? pointer.Get(document_) : nullptr;
      if (led_to == nullptr || !led_to->IsObject()) break;
      const auto next = led_to->FindMember("$ref");
      if (next == led_to->MemberEnd()) return;
      target = &next->value;
    }
    wrong(place, "must lead to a schema within this document");
  }

  const rapidjson::Document& document_;
  std::vector<std::string> mistakes_;
};

}  // namespace

std::vector<std::string> mistakes_in_schema(const rapidjson::Document& schema) {
  Walk walk(schema);
  walk.schema(schema, "#");
  return std::move(walk).take();
}

}  // namespace makegood
