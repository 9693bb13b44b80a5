#include "makegood/fields.hpp"

#include <cmath>

#include "base/base64.hpp"
#include "base/json.hpp"
#include "base/json_text.hpp"
#include "base/utf8.hpp"

namespace makegood {
namespace {

/// What a text that is no UTF-8 is written as: JSON has no bytes.
constexpr const char* bytes_member = "base64";

bool is_utf8_text(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t length = first_character(bytes).bytes;
    if (length == 0) return false;
    bytes.remove_prefix(length);
  }
  return true;
}

}  // namespace

class FieldWriter::Text {
 public:
  rapidjson::StringBuffer buffer = {};
  json::Writer writer{buffer};
};

FieldWriter::FieldWriter() : text_(std::make_unique<Text>()) {}
FieldWriter::~FieldWriter() = default;

void FieldWriter::null() { text_->writer.Null(); }
void FieldWriter::boolean(bool value) { text_->writer.Bool(value); }
void FieldWriter::integer(std::int64_t value) { text_->writer.Int64(value); }
void FieldWriter::natural(std::uint64_t value) { text_->writer.Uint64(value); }
void FieldWriter::number(double value) { std::isfinite(value) ? text_->writer.Double(value) : text_->writer.Null(); }
void FieldWriter::begin_object() { text_->writer.StartObject(); }
void FieldWriter::name(std::string_view name) { json::write_name(text_->writer, name); }
void FieldWriter::end_object() { text_->writer.EndObject(); }
void FieldWriter::begin_array() { text_->writer.StartArray(); }
void FieldWriter::end_array() { text_->writer.EndArray(); }

void FieldWriter::text(std::string_view bytes) {
  if (is_utf8_text(bytes)) return json::write_text(text_->writer, bytes);
  begin_object();
  json::write(text_->writer, bytes_member, to_base64(bytes));
  end_object();
}

std::string FieldWriter::take() { return {text_->buffer.GetString(), text_->buffer.GetSize()}; }

class FieldReader::Document {
 public:
  rapidjson::Document json = {};
};

namespace {

const json::Value& json_of(const void* value) { return *static_cast<const json::Value*>(value); }

}  // namespace

FieldReader::FieldReader(std::shared_ptr<const Document> document, const void* value)
    : document_(std::move(document)), value_(value) {}

Result<FieldReader> FieldReader::parse(std::string_view json) {
  // The depth is looked at first: a few bytes must not cost a stack.
  if (!json::is_json(json)) return Error{Errc::validation_failed, "The text is not JSON, or is nested too deeply."};
  auto document = std::make_shared<Document>();
  document->json.Parse<rapidjson::kParseFullPrecisionFlag>(json.data(), json.size());
  const void* root = static_cast<const json::Value*>(&document->json);
  return FieldReader(std::move(document), root);
}

bool FieldReader::is_null() const { return json_of(value_).IsNull(); }

std::optional<bool> FieldReader::boolean() const {
  const json::Value& value = json_of(value_);
  return value.IsBool() ? std::optional(value.GetBool()) : std::nullopt;
}

std::optional<std::int64_t> FieldReader::integer() const {
  const json::Value& value = json_of(value_);
  return value.IsInt64() ? std::optional(value.GetInt64()) : std::nullopt;
}

std::optional<std::uint64_t> FieldReader::natural() const {
  const json::Value& value = json_of(value_);
  return value.IsUint64() ? std::optional(value.GetUint64()) : std::nullopt;
}

std::optional<double> FieldReader::number() const {
  const json::Value& value = json_of(value_);
  return value.IsNumber() ? std::optional(value.GetDouble()) : std::nullopt;
}

std::optional<std::string> FieldReader::text() const {
  const json::Value& value = json_of(value_);
  if (value.IsString()) return json::text_of(value);
  if (!value.IsObject() || value.MemberCount() != 1) return std::nullopt;
  const json::Value* bytes = json::member(value, bytes_member);
  return bytes != nullptr && bytes->IsString() ? from_base64(json::text_of(*bytes)) : std::nullopt;
}

std::optional<std::vector<FieldReader>> FieldReader::items() const {
  const json::Value& value = json_of(value_);
  if (!value.IsArray()) return std::nullopt;
  std::vector<FieldReader> items;
  for (const json::Value& item : value.GetArray()) items.push_back(FieldReader(document_, &item));
  return items;
}

std::optional<std::vector<std::pair<std::string, FieldReader>>> FieldReader::members() const {
  const json::Value& value = json_of(value_);
  if (!value.IsObject()) return std::nullopt;
  std::vector<std::pair<std::string, FieldReader>> members;
  for (const auto& one : value.GetObject()) {
    members.emplace_back(json::text_of(one.name), FieldReader(document_, &one.value));
  }
  return members;
}

std::optional<FieldReader> FieldReader::member(std::string_view name) const {
  const json::Value& value = json_of(value_);
  if (!value.IsObject()) return std::nullopt;
  const auto found = value.FindMember(json::Value(name.data(), static_cast<rapidjson::SizeType>(name.size())));
  if (found == value.MemberEnd()) return std::nullopt;
  return FieldReader(document_, &found->value);
}

}  // namespace makegood
