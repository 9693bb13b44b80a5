#include "base/story.hpp"

#include <limits>

#include "base/json.hpp"

namespace makegood {
namespace {

void write_note(json::Writer& writer, const AttemptNote& note) {
  writer.StartObject();
  json::write(writer, "attempt", std::int64_t{note.attempt});
  json::write(writer, "at", to_milliseconds(note.at));
  json::write(writer, "outcome", std::string_view(note.outcome));
  json::write(writer, "code", std::string_view(note.code));
  if (!note.error.empty()) json::write(writer, "error", std::string_view(note.error));
  if (!note.owner.empty()) json::write(writer, "owner", std::string_view(note.owner));
  writer.EndObject();
}

Result<AttemptNote> note_from(const json::Value& value) {
  if (!value.IsObject()) return json::damage("a note is not an object");
  const std::int64_t attempt = MAKEGOOD_TRY(json::number_in(value, "attempt"));
  if (attempt < 0 || attempt > std::numeric_limits<std::uint32_t>::max()) return json::damage("attempt");
  return AttemptNote{.attempt = static_cast<std::uint32_t>(attempt),
                     .at = from_milliseconds(MAKEGOOD_TRY(json::number_in(value, "at"))),
                     .outcome = MAKEGOOD_TRY(json::text_in(value, "outcome")),
                     .code = MAKEGOOD_TRY(json::text_in(value, "code")),
                     .error = MAKEGOOD_TRY(json::text_in(value, "error")),
                     .owner = MAKEGOOD_TRY(json::text_in(value, "owner"))};
}

Result<std::vector<AttemptNote>> story_from(std::string_view text) {
  rapidjson::Document document;
  document.Parse(text.data(), text.size());
  if (document.HasParseError() || !document.IsArray()) return json::damage("not a JSON array");
  std::vector<AttemptNote> story;
  for (const auto& note : document.GetArray()) story.push_back(MAKEGOOD_TRY(note_from(note)));
  return story;
}

}  // namespace

std::string encode(const AttemptNote& note) {
  rapidjson::StringBuffer text;
  json::Writer writer(text);
  write_note(writer, note);
  return {text.GetString(), text.GetSize()};
}

std::string encode_story(const std::vector<AttemptNote>& story) {
  rapidjson::StringBuffer text;
  json::Writer writer(text);
  writer.StartArray();
  for (const AttemptNote& note : story) write_note(writer, note);
  writer.EndArray();
  return {text.GetString(), text.GetSize()};
}

Result<std::vector<AttemptNote>> decode_story(std::string_view json) {
  auto story = story_from(json);
  if (!story) story.error().message = "The story of a parked delivery cannot be read; its row was changed by hand.";
  return story;
}

}  // namespace makegood
