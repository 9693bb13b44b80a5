#include "api/sketch.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/json.hpp"

namespace makegood::api {
std::string quoted(std::string_view text) {
  rapidjson::StringBuffer buffer;
  json::Writer writer(buffer);
  json::write_text(writer, text);
  return {buffer.GetString(), buffer.GetSize()};
}

std::string json_list(std::span<const std::string> json) { return fmt::format("[{}]", fmt::join(json, ",")); }

Schema named_schema(std::string_view name) {
  return Schema().text("$ref", fmt::format("#/components/schemas/{}", name));
}

JsonObject& JsonObject::json(std::string_view name, std::string_view value) {
  members_ += fmt::format("{}{}:{}", members_.empty() ? "" : ",", quoted(name), value);
  return *this;
}

JsonObject& JsonObject::number(std::string_view name, double value) { return json(name, fmt::format("{}", value)); }
JsonObject& JsonObject::number(std::string_view name, std::int64_t value) {
  return json(name, fmt::format("{}", value));
}
JsonObject& JsonObject::text(std::string_view name, std::string_view value) { return json(name, quoted(value)); }

JsonObject& JsonObject::texts(std::string_view name, std::span<const std::string_view> values) {
  std::vector<std::string> list;
  for (const std::string_view value : values) list.push_back(quoted(value));
  return json(name, json_list(list));
}

JsonObject& JsonObject::says(std::string_view sentence) {
  return sentence.empty() ? *this : text("description", sentence);
}

void Sketch::add(std::string_view name, Schema schema, std::string_view sentence, bool is_required) {
  const auto known = std::ranges::find(members, name, &Member::name);
  if (known == members.end()) {
    members.push_back({std::string(name), std::move(schema), std::string(sentence), is_required});
  } else {  // It was required before it was read.
    *known = {std::string(name), std::move(schema), std::string(sentence), is_required || known->is_required};
  }
}

void Sketch::require(std::string_view name) { add(name, {}, {}, true); }

Schema Sketch::schema() const {
  std::vector<std::string> required;
  std::vector<std::string> choices;
  choices.reserve(one_of.size());
  Schema properties;
  for (const Member& member : members) {
    if (member.is_required) required.push_back(quoted(member.name));
    properties.json(member.name, Schema(member.schema).says(member.says).str());
  }
  for (const std::string& name : one_of) choices.push_back(fmt::format(R"({{"required":[{}]}})", quoted(name)));
  Schema whole("object");
  whole.json("additionalProperties", "false").says(says);
  if (!required.empty()) whole.json("required", json_list(required));
  if (!choices.empty()) whole.json("oneOf", json_list(choices));
  return whole.json("properties", properties.str());
}

}  // namespace makegood::api
