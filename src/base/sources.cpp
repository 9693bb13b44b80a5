#include "base/sources.hpp"

#include "base/json.hpp"
#include "base/texts.hpp"
#include "makegood/observe.hpp"

namespace makegood {
namespace {

constexpr Texts<SourceNews::Kind, SourceNews::Kind::reads> source_news_texts{
    "taken", "repeated", "unreadable", "fenced", "behind", "stopped", "reads"};

std::string text_of(const json::Value& value) {
  rapidjson::StringBuffer text;
  json::Writer writer(text);
  value.Accept(writer);
  return {text.GetString(), text.GetSize()};
}

Result<SourceDocument> source_from(std::string_view text) {
  const rapidjson::Document stored = MAKEGOOD_TRY(json::parse_object(text));
  SourceDocument document;
  document.topic = MAKEGOOD_TRY(json::text_in(stored, "topic"));
  document.tenant_id = MAKEGOOD_TRY(json::text_in(stored, "tenant_id"));
  document.backlog_max = static_cast<std::size_t>(MAKEGOOD_TRY(json::number_in(stored, "backlog_max")));
  document.settings = text_of(*MAKEGOOD_TRY(json::object_in(stored, "settings")));
  return document;
}

}  // namespace

std::string_view to_string(SourceNews::Kind kind) { return source_news_texts.of(kind); }

std::string encode(const SourceDocument& document) {
  rapidjson::StringBuffer text;
  json::Writer writer(text);
  writer.StartObject();
  json::write(writer, "topic", document.topic);
  json::write(writer, "tenant_id", document.tenant_id);
  json::write(writer, "backlog_max", static_cast<std::int64_t>(document.backlog_max));
  json::write_name(writer, "settings");
  const std::string_view settings = document.settings.empty() ? std::string_view("{}") : document.settings;
  writer.RawValue(settings.data(), settings.size(), rapidjson::kObjectType);
  writer.EndObject();
  return {text.GetString(), text.GetSize()};
}

Result<SourceDocument> decode_source(std::string_view json) {
  auto document = source_from(json);
  if (!document) document.error().message = "The stored settings of a source cannot be read; put the source anew.";
  return document;
}

}  // namespace makegood
