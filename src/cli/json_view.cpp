#include "cli/json_view.hpp"

#include <fmt/format.h>

#include "base/json.hpp"
#include "cli/age.hpp"

namespace makegood::cli {

Result<rapidjson::Document> parse_answer(std::string_view body) {
  rapidjson::Document document;
  document.Parse<rapidjson::kParseIterativeFlag>(body.data(), body.size());
  if (document.HasParseError() || !document.IsObject()) {
    return Error{Errc::unavailable, "The answer is not one of Makegood's; is the URL right?"};
  }
  return document;
}

std::string cell(const Json& object, const char* name) {
  const Json* value = json::member(object, name);
  if (value == nullptr || value->IsNull()) return "-";
  if (value->IsBool()) return value->GetBool() ? "yes" : "no";
  if (value->IsString()) return json::text_of(*value);
  return json_of(*value);
}

std::string ago_cell(const Json& object, const char* name, TimePoint now) { return ago_text(cell(object, name), now); }

std::string text_at(const Json& object, const char* name) {
  const Json* value = json::member(object, name);
  return value != nullptr && value->IsString() ? json::text_of(*value) : std::string();
}

std::int64_t number_at(const Json& object, const char* name) {
  const Json* value = json::member(object, name);
  return value != nullptr && value->IsInt64() ? value->GetInt64() : 0;
}

bool flag_at(const Json& object, const char* name) {
  const Json* value = json::member(object, name);
  return value != nullptr && value->IsBool() && value->GetBool();
}

const Json& array_at(const Json& object, const char* name) {
  static const Json empty(rapidjson::kArrayType);
  const Json* value = json::member(object, name);
  return value != nullptr && value->IsArray() ? *value : empty;
}

const Json& object_at(const Json& object, const char* name) {
  static const Json empty(rapidjson::kObjectType);
  const Json* value = json::member(object, name);
  return value != nullptr && value->IsObject() ? *value : empty;
}

std::string json_of(const Json& value) {
  rapidjson::StringBuffer text;
  json::Writer writer(text);
  value.Accept(writer);
  return {text.GetString(), text.GetSize()};
}

}  // namespace makegood::cli
