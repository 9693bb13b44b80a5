#include "api/yaml_out.hpp"

#include <fmt/format.h>

#include "base/json.hpp"
#include "makegood/spi/assert.hpp"

namespace makegood::api {
namespace {

using json::Value;

constexpr std::size_t line_max = 110;

std::string one_line(const Value& value) {
  rapidjson::StringBuffer text;
  json::Writer writer(text);
  value.Accept(writer);
  return {text.GetString(), text.GetSize()};
}

/// Whether JSON's quotes can be left out: nothing that YAML could take for something else.
bool is_plain(std::string_view key) {
  constexpr std::string_view harmless = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_/{}.-$";
  return key.find_first_not_of(harmless) == std::string_view::npos && !key.starts_with('{') && !key.starts_with('-');
}

void put_value(std::string& out, const Value& value, std::size_t indent);

void put_members(std::string& out, const Value& object, std::size_t indent) {
  for (const auto& member : object.GetObject()) {
    const std::string name = json::text_of(member.name);
    out += fmt::format("{:{}}{}:", "", indent, is_plain(name) ? name : one_line(member.name));
    put_value(out, member.value, indent + 2);
  }
}

void put_elements(std::string& out, const Value& array, std::size_t indent) {
  for (const Value& element : array.GetArray()) {
    out += fmt::format("{:{}}-", "", indent);
    put_value(out, element, indent + 2);
  }
}

void put_lines(std::string& out, std::string_view text, std::size_t indent) {
  out += " |\n";
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    out += fmt::format("{:{}}{}\n", "", indent, text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

void put_value(std::string& out, const Value& value, std::size_t indent) {
  if (value.IsString() && json::text_of(value).ends_with('\n')) return put_lines(out, json::text_of(value), indent);
  std::string line = one_line(value);
  const bool is_small = indent + line.size() <= line_max || !(value.IsObject() || value.IsArray());
  if (is_small) {
    out += " " + line + "\n";
    return;
  }
  out += "\n";
  value.IsObject() ? put_members(out, value, indent) : put_elements(out, value, indent);
}

}  // namespace

std::string to_yaml(std::string_view json_object, std::size_t indent) {
  rapidjson::Document document;
  document.Parse<rapidjson::kParseFullPrecisionFlag>(json_object.data(), json_object.size());
  MAKEGOOD_ASSERT(!document.HasParseError());
  std::string out;
  put_members(out, document, indent);
  return out;
}

}  // namespace makegood::api
