#include "base/settings_json.hpp"

#include <fmt/format.h>

namespace makegood::json {
namespace {

constexpr std::size_t shown_max = 64;

/// Short, and without what would disturb a terminal.
std::string harmless(std::string text) {
  if (text.size() > shown_max) text.resize(shown_max);
  std::ranges::replace_if(text, [](char c) { return c < 0x20 || c > 0x7E; }, '?');
  return text;
}

}  // namespace

bool read_text(const Value& value, std::string& text) {
  if (value.IsString()) text = text_of(value);
  return value.IsString();
}

bool read_texts(const Value& value, std::vector<std::string>& texts) {
  const auto is_text = [](const Value& element) { return element.IsString(); };
  if (!value.IsArray() || !std::all_of(value.Begin(), value.End(), is_text)) return false;
  texts.clear();
  for (const Value& element : value.GetArray()) texts.push_back(text_of(element));
  return true;
}

bool read_map(const Value& value, std::map<std::string, std::string>& texts, std::string_view name,
              const Complain& complain) {
  const auto is_text = [](const auto& member) { return member.value.IsString(); };
  if (!value.IsObject() || !std::all_of(value.MemberBegin(), value.MemberEnd(), is_text)) return false;
  std::vector<std::string> names;
  for (const auto& member : value.GetObject()) {
    const std::string key = text_of(member.name);
    if (std::ranges::find(names, key) != names.end()) complain(name, "has a name twice");
    names.push_back(key);
    texts[key] = text_of(member.value);
  }
  return true;
}

std::size_t read_word(const Value& value, std::size_t absent, Words words, std::string_view name,
                      const Complain& complain) {
  const std::string chosen = value.IsString() ? text_of(value) : "?";
  const auto found = std::ranges::find(words, chosen);
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  complain(name, fmt::format("is '{}'; allowed: {}", harmless(chosen), fmt::join(words, ", ")));
  return absent;
}

std::uint64_t read_number(const Value& value, std::uint64_t absent, const Limits& limits, std::string_view name,
                          const Complain& complain) {
  const double number = value.IsUint64() ? static_cast<double>(value.GetUint64()) : -1;
  if (value.IsUint64() && number >= limits.min && number <= limits.max) return value.GetUint64();
  complain(name, fmt::format("is not a whole number from {:.0f} to {:.0f}", limits.min, limits.max));
  return absent;
}

void write_texts(Writer& writer, std::string_view name, const std::vector<std::string>& texts) {
  write_name(writer, name);
  writer.StartArray();
  for (const std::string& text : texts) write_text(writer, text);
  writer.EndArray();
}

void write_map(Writer& writer, std::string_view name, const std::map<std::string, std::string>& texts) {
  write_name(writer, name);
  writer.StartObject();
  for (const auto& [key, text] : texts) write(writer, key, std::string_view(text));
  writer.EndObject();
}

const Value* SettingsFromJson::take(std::string_view name) {
  known_.emplace_back(name);
  return member(object_, known_.back().c_str());
}

void SettingsFromJson::refuse_the_rest() const {
  for (const auto& member : object_.GetObject()) {
    const std::string name = text_of(member.name);
    if (std::ranges::find(known_, name) != known_.end()) continue;
    complain_(harmless(name), fmt::format("is not a setting; allowed: {}", fmt::join(known_, ", ")));
  }
}

}  // namespace makegood::json
