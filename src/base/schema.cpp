#include "makegood/schema.hpp"

#include <fmt/format.h>
#include <rapidjson/document.h>
#include <rapidjson/error/en.h>
#include <rapidjson/schema.h>
#include <rapidjson/stringbuffer.h>

#include <string>
#include <vector>

#include "base/schema_rules.hpp"
#include "makegood/destination.hpp"

namespace makegood {
namespace {

std::string text_of(const rapidjson::Pointer& pointer) {
  rapidjson::StringBuffer buffer;
  pointer.StringifyUriFragment(buffer);
  return {buffer.GetString(), buffer.GetSize()};
}

}  // namespace

class PayloadSchemas::Compiled {
 public:
  struct Rule {
    std::string pattern;
    std::unique_ptr<rapidjson::SchemaDocument> schema;
  };
  std::vector<Rule> rules;
};

PayloadSchemas::PayloadSchemas() : compiled_(std::make_unique<Compiled>()) {}
PayloadSchemas::~PayloadSchemas() = default;
PayloadSchemas::PayloadSchemas(PayloadSchemas&&) noexcept = default;
PayloadSchemas& PayloadSchemas::operator=(PayloadSchemas&&) noexcept = default;

Result<> PayloadSchemas::add(std::string_view pattern, std::string_view schema_json) {
  rapidjson::Document document;
  document.Parse(schema_json.data(), schema_json.size());
  if (document.HasParseError()) {
    return Error{Errc::invalid,
                 fmt::format("The schema for {} is not JSON: {} (at byte {}).", pattern,
                             rapidjson::GetParseError_En(document.GetParseError()), document.GetErrorOffset())};
  }
  if (!document.IsObject())
    return Error{Errc::invalid, fmt::format("The schema for {} is not a JSON object.", pattern)};
  if (const auto mistakes = mistakes_in_schema(document); !mistakes.empty()) {
    return Error{Errc::invalid, fmt::format("The schema for {} says what would not be checked: {}.", pattern,
                                            fmt::join(mistakes, "; "))};
  }
  compiled_->rules.push_back({std::string(pattern), std::make_unique<rapidjson::SchemaDocument>(document)});
  return {};
}

Result<> PayloadSchemas::check(std::string_view topic, std::string_view payload) const {
  for (const auto& rule : compiled_->rules) {
    if (!matches(rule.pattern, topic)) continue;
    rapidjson::Document document;
    document.Parse(payload.data(), payload.size());
    if (document.HasParseError()) {
      return Error{Errc::validation_failed,
                   fmt::format("The payload for {} is not JSON (at byte {}).", topic, document.GetErrorOffset())};
    }
    rapidjson::SchemaValidator validator(*rule.schema);
    if (document.Accept(validator)) continue;
    return Error{Errc::validation_failed,
                 fmt::format("The payload for {} does not follow its schema: {} at {} (rule {}).", topic,
                             validator.GetInvalidSchemaKeyword(), text_of(validator.GetInvalidDocumentPointer()),
                             text_of(validator.GetInvalidSchemaPointer()))};
  }
  return {};
}

}  // namespace makegood
