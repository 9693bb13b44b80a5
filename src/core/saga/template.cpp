#include "core/saga/template.hpp"

#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>

#include <cstdint>
#include <utility>
#include <variant>
#include <vector>

#include "base/json_text.hpp"

namespace makegood::core {
namespace {

using rapidjson::SizeType;

constexpr std::string_view input_root = "input";
constexpr std::string_view key_name = "key";

Error leads_nowhere(const Placeholder& placeholder) {
  return {Errc::invalid, "The template " + to_string(placeholder) + " leads nowhere, and has no default."};
}

std::string as_json(std::string_view text) {
  rapidjson::StringBuffer buffer;
  json::Writer writer(buffer);
  json::write_text(writer, text);
  return {buffer.GetString(), buffer.GetSize()};
}

std::optional<std::string> root_of(std::string_view root, const TemplateScope& scope) {
  if (root == input_root) return std::string(scope.input);
  if (scope.item && root == "item") return std::string(*scope.item);
  if (scope.item && root == "index") return std::to_string(scope.index);
  return scope.output ? scope.output(root) : std::nullopt;
}

std::optional<std::string> found(const Placeholder& placeholder, const TemplateScope& scope) {
  const bool is_input = placeholder.root == input_root;
  const bool is_key = !is_input && placeholder.path.size() == 1 && placeholder.path.front() == key_name;
  if (is_key) return scope.key ? std::optional(as_json(scope.key(placeholder.root))) : std::nullopt;
  const auto root = root_of(placeholder.root, scope);
  if (!root) return std::nullopt;
  const auto value = json::value_at(*root, placeholder.path);
  return value ? json::compact(*value) : std::nullopt;
}

/// Inside text: a string without its quotes, everything else as JSON writes it.
Result<std::string> written_as_text(const Placeholder& placeholder, const TemplateScope& scope) {
  std::string value = MAKEGOOD_TRY(value_for(placeholder, scope));
  if (value == "null") {
    return Error{Errc::invalid,
                 "The template " + to_string(placeholder) + " is null inside a text, without a default."};
  }
  if (auto text = json::unquoted(value)) return *std::move(text);
  return value;
}

/// Copies a template and puts in values. An error stops the reader.
class Filling {
 public:
  Filling(const TemplateScope& scope, rapidjson::StringBuffer& buffer)
      : scope_(scope), buffer_(buffer), writer_(buffer) {}

  std::optional<Error> error = {};

  bool Null() { return writer_.Null(); }
  bool Bool(bool flag) { return writer_.Bool(flag); }
  bool RawNumber(const char* digits, SizeType size, bool /*copy*/) {
    return writer_.RawValue(digits, size, rapidjson::kNumberType);
  }
  bool String(const char* text, SizeType size, bool /*copy*/) {
    const Result<> put = put_string({text, size});
    return put ? is_within_bounds() : refuse(put.error());
  }
  bool Key(const char* name, SizeType size, bool /*copy*/) { return writer_.Key(name, size); }
  bool StartObject() { return writer_.StartObject(); }
  bool EndObject(SizeType /*count*/) { return writer_.EndObject(); }
  bool StartArray() { return writer_.StartArray(); }
  bool EndArray(SizeType /*count*/) { return writer_.EndArray(); }
  // Never called: numbers come as they are written.
  bool Int(int /*number*/) { return false; }
  bool Uint(unsigned /*number*/) { return false; }
  bool Int64(std::int64_t /*number*/) { return false; }
  bool Uint64(std::uint64_t /*number*/) { return false; }
  bool Double(double /*number*/) { return false; }

 private:
  Result<> put_string(std::string_view text) {
    const auto parts = MAKEGOOD_TRY(template_parts(text));
    const auto* whole = parts.size() == 1 ? std::get_if<Placeholder>(&parts.front()) : nullptr;
    if (whole == nullptr) return put_mixture(parts);
    const std::string value = MAKEGOOD_TRY(value_for(*whole, scope_));
    json::copy(writer_, value);
    return {};
  }

  Result<> put_mixture(const std::vector<TemplatePart>& parts) {
    std::string mixture;
    for (const TemplatePart& part : parts) {
      const auto* placeholder = std::get_if<Placeholder>(&part);
      mixture +=
          placeholder == nullptr ? std::get<std::string>(part) : MAKEGOOD_TRY(written_as_text(*placeholder, scope_));
      if (mixture.size() > filled_bytes_max) break;
    }
    json::write_text(writer_, mixture);
    return {};
  }

  bool is_within_bounds() {
    if (buffer_.GetSize() <= filled_bytes_max) return true;
    return refuse({Errc::payload_too_large, "A filled template is larger than 1 MiB."});
  }
  bool refuse(Error why) { return error = std::move(why), false; }

  const TemplateScope& scope_;
  rapidjson::StringBuffer& buffer_;
  json::Writer writer_;
};

}  // namespace

Result<std::string> value_for(const Placeholder& placeholder, const TemplateScope& scope) {
  auto value = found(placeholder, scope);
  if (value && (*value != "null" || !placeholder.fallback)) return *std::move(value);
  if (placeholder.fallback) return *placeholder.fallback;
  return leads_nowhere(placeholder);
}

Result<std::string> fill_template(std::string_view text, const TemplateScope& scope) {
  if (!json::is_json(text)) return Error{Errc::invalid, "The template is not JSON, or is nested too deeply."};
  rapidjson::StringBuffer buffer;
  Filling filling(scope, buffer);
  rapidjson::MemoryStream stream(text.data(), text.size());
  rapidjson::Reader reader;
  reader.Parse<rapidjson::kParseNumbersAsStringsFlag>(stream, filling);
  if (filling.error) return *std::move(filling.error);
  return std::string(buffer.GetString(), buffer.GetSize());
}

}  // namespace makegood::core
