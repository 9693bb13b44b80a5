#include "base/json.hpp"

#include <utility>

namespace makegood::json {

void write_name(Writer& writer, std::string_view name) {
  writer.Key(name.data(), static_cast<rapidjson::SizeType>(name.size()));
}

void write_text(Writer& writer, std::string_view text) {
  writer.String(text.data(), static_cast<rapidjson::SizeType>(text.size()));
}

void write(Writer& writer, std::string_view name, std::string_view text) {
  write_name(writer, name);
  write_text(writer, text);
}

void write(Writer& writer, std::string_view name, std::int64_t number) {
  write_name(writer, name);
  writer.Int64(number);
}

void write(Writer& writer, std::string_view name, double number) {
  write_name(writer, name);
  writer.Double(number);
}

void write(Writer& writer, std::string_view name, bool flag) {
  write_name(writer, name);
  writer.Bool(flag);
}

Error damage(std::string_view what) {
  return {Errc::store_corrupt, "A stored text cannot be read.", std::string(what)};
}

Result<rapidjson::Document> parse_object(std::string_view text) {
  rapidjson::Document document;
  // Full precision: a number must come back as the one that was written.
  document.Parse<rapidjson::kParseFullPrecisionFlag>(text.data(), text.size());
  if (document.HasParseError() || !document.IsObject()) return damage("not a JSON object");
  return document;
}

std::string text_of(const Value& text) { return {text.GetString(), text.GetStringLength()}; }

const Value* member(const Value& object, const char* name) {
  const auto found = object.FindMember(name);
  return found == object.MemberEnd() ? nullptr : &found->value;
}

Result<const Value*> object_in(const Value& object, const char* name) {
  const Value* value = member(object, name);
  if (value == nullptr || !value->IsObject()) return damage(name);
  return value;
}

Result<const Value*> array_in(const Value& object, const char* name) {
  const Value* value = member(object, name);
  if (value == nullptr || !value->IsArray()) return damage(name);
  return value;
}

Result<std::int64_t> number_in(const Value& object, const char* name) {
  const Value* value = member(object, name);
  if (value == nullptr || !value->IsInt64()) return damage(name);
  return value->GetInt64();
}

Result<std::int64_t> number_in(const Value& object, const char* name, std::int64_t absent) {
  return member(object, name) == nullptr ? Result<std::int64_t>(absent) : number_in(object, name);
}

Result<double> real_in(const Value& object, const char* name, double absent) {
  const Value* value = member(object, name);
  if (value == nullptr) return absent;
  if (!value->IsNumber()) return damage(name);
  return value->GetDouble();
}

Result<bool> flag_in(const Value& object, const char* name, bool absent) {
  const Value* value = member(object, name);
  if (value == nullptr) return absent;
  if (!value->IsBool()) return damage(name);
  return value->GetBool();
}

Result<std::string> text_in(const Value& object, const char* name) {
  const Value* value = member(object, name);
  if (value == nullptr) return std::string();
  if (!value->IsString()) return damage(name);
  return text_of(*value);
}

}  // namespace makegood::json
