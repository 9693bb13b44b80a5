#include "base/json_text.hpp"

#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>

#include <charconv>
#include <utility>

namespace makegood::json {
namespace {

constexpr unsigned exact_flags = rapidjson::kParseNumbersAsStringsFlag | rapidjson::kParseValidateEncodingFlag;

void skip_spaces(std::string_view& text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  text.remove_prefix(begin == std::string_view::npos ? text.size() : begin);
}

/// How many bytes a string has with its quotes; 0: it does not end.
std::size_t string_bytes(std::string_view text) {
  for (std::size_t at = 1; at < text.size(); ++at) {
    if (text[at] == '\\') {
      ++at;
    } else if (text[at] == '"') {
      return at + 1;
    }
  }
  return 0;
}

/// How many bytes an object or array has with its brackets; 0: it does not end.
std::size_t bracketed_bytes(std::string_view text) {
  std::size_t open = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '"') {
      const std::size_t skipped = string_bytes(text.substr(at));
      if (skipped == 0) return 0;
      at += skipped - 1;
    } else if (text[at] == '{' || text[at] == '[') {
      ++open;
    } else if ((text[at] == '}' || text[at] == ']') && --open == 0) {
      return at + 1;
    }
  }
  return 0;
}

/// `true`, `null` or a number.
std::size_t word_bytes(std::string_view text) {
  const std::size_t end = text.find_first_not_of("abcdefghijklmnopqrstuvwxyzE0123456789+-.");
  return end == std::string_view::npos ? text.size() : end;
}

std::size_t value_bytes(std::string_view text) {
  if (text.front() == '"') return string_bytes(text);
  const bool has_brackets = text.front() == '{' || text.front() == '[';
  return has_brackets ? bracketed_bytes(text) : word_bytes(text);
}

std::optional<std::string_view> take_value(std::string_view& text) {
  const auto value = first_value(text);
  if (!value) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(value->data() + value->size() - text.data()));
  skip_spaces(text);
  return value;
}

bool take_mark(std::string_view& text, char mark) {
  if (!text.starts_with(mark)) return false;
  text.remove_prefix(1);
  skip_spaces(text);
  return true;
}

bool is_name(std::string_view quoted, std::string_view name) {
  const std::string_view inside = quoted.substr(1, quoted.size() - 2);
  if (inside.find('\\') == std::string_view::npos) return inside == name;
  return unquoted(quoted) == name;
}

std::optional<std::string_view> member_at(std::string_view text, std::string_view name) {
  std::optional<std::string_view> found;
  take_mark(text, '{');
  while (text.starts_with('"')) {
    const auto key = take_value(text);
    if (!key || !take_mark(text, ':')) return std::nullopt;
    const auto value = take_value(text);
    if (!value) return std::nullopt;
    if (is_name(*key, name)) found = value;
    if (!take_mark(text, ',')) break;
  }
  return found;
}

std::optional<std::string_view> element_at(std::string_view text, std::string_view index) {
  std::size_t left = 0;
  const auto [end, failure] = std::from_chars(index.data(), index.data() + index.size(), left);
  if (failure != std::errc{} || end != index.data() + index.size()) return std::nullopt;
  take_mark(text, '[');
  for (;;) {
    const auto value = take_value(text);
    if (!value || left == 0) return value;
    if (!take_mark(text, ',')) return std::nullopt;
    --left;
  }
}

std::optional<std::string_view> part_at(std::string_view value, std::string_view name) {
  if (value.starts_with('{')) return member_at(value, name);
  return value.starts_with('[') ? element_at(value, name) : std::nullopt;
}

/// Writes what a reader reads. False stops the reader.
class Copier {
 public:
  explicit Copier(Writer* writer) : writer_(writer) {}

  bool Null() { return writer_ == nullptr || writer_->Null(); }
  bool Bool(bool flag) { return writer_ == nullptr || writer_->Bool(flag); }
  // Numbers come as text.
  bool Int(int /*number*/) { return false; }
  bool Uint(unsigned /*number*/) { return false; }
  bool Int64(std::int64_t /*number*/) { return false; }
  bool Uint64(std::uint64_t /*number*/) { return false; }
  bool Double(double /*number*/) { return false; }
  bool RawNumber(const char* digits, rapidjson::SizeType size, bool /*copy*/) {
    return writer_ == nullptr || writer_->RawValue(digits, size, rapidjson::kNumberType);
  }
  bool String(const char* text, rapidjson::SizeType size, bool /*copy*/) {
    return writer_ == nullptr || writer_->String(text, size);
  }
  bool Key(const char* name, rapidjson::SizeType size, bool /*copy*/) {
    return writer_ == nullptr || writer_->Key(name, size);
  }
  bool StartObject() { return ++depth_ <= depth_max && (writer_ == nullptr || writer_->StartObject()); }
  bool EndObject(rapidjson::SizeType /*count*/) { return --depth_, writer_ == nullptr || writer_->EndObject(); }
  bool StartArray() { return ++depth_ <= depth_max && (writer_ == nullptr || writer_->StartArray()); }
  bool EndArray(rapidjson::SizeType /*count*/) { return --depth_, writer_ == nullptr || writer_->EndArray(); }

 private:
  Writer* writer_;
  std::size_t depth_ = 0;
};

bool read_with(Copier copier, std::string_view text) {
  rapidjson::MemoryStream stream(text.data(), text.size());
  rapidjson::Reader reader;
  // A NUL byte looks like the end to the reader.
  return !reader.Parse<exact_flags>(stream, copier).IsError() && stream.Tell() == text.size();
}

}  // namespace

std::optional<std::string_view> first_value(std::string_view text) {
  skip_spaces(text);
  if (text.empty()) return std::nullopt;
  const std::size_t bytes = value_bytes(text);
  if (bytes == 0) return std::nullopt;
  return text.substr(0, bytes);
}

std::optional<std::string_view> value_at(std::string_view text, std::span<const std::string> path) {
  std::optional<std::string_view> value = first_value(text);
  for (const std::string& name : path) {
    if (!value) return std::nullopt;
    value = part_at(*value, name);
  }
  return value;
}

std::optional<std::vector<std::string>> elements_of(std::string_view text) {
  skip_spaces(text);
  if (!take_mark(text, '[')) return std::nullopt;
  std::vector<std::string> elements;
  while (!text.starts_with(']')) {
    const auto value = take_value(text);
    if (!value) return std::nullopt;
    elements.emplace_back(*value);
    if (!take_mark(text, ',')) break;
  }
  return elements;
}

std::optional<std::string> unquoted(std::string_view text) {
  if (!text.starts_with('"')) return std::nullopt;
  rapidjson::Document document;
  document.Parse<rapidjson::kParseValidateEncodingFlag>(text.data(), text.size());
  if (document.HasParseError() || !document.IsString()) return std::nullopt;
  return text_of(document);
}

bool copy(Writer& writer, std::string_view text) { return read_with(Copier(&writer), text); }

bool is_json(std::string_view text) { return read_with(Copier(nullptr), text); }

std::optional<std::string> compact(std::string_view text) {
  rapidjson::StringBuffer buffer;
  Writer writer(buffer);
  if (!copy(writer, text)) return std::nullopt;
  return std::string(buffer.GetString(), buffer.GetSize());
}

}  // namespace makegood::json
