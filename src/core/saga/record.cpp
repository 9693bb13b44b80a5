#include "core/saga/record.hpp"

#include <array>
#include <utility>

#include "base/json.hpp"

namespace makegood::core {
namespace {

constexpr std::array<std::pair<Direction, std::string_view>, 3> directions = {{
    {Direction::action, "action"},
    {Direction::compensation, "compensation"},
    {Direction::check, "check"},
}};

constexpr std::array<std::pair<RecordKind, std::string_view>, 26> kinds = {{
    {RecordKind::begun, "begun"},
    {RecordKind::repinned, "repinned"},
    {RecordKind::spread, "spread"},
    {RecordKind::started, "started"},
    {RecordKind::accepted, "accepted"},
    {RecordKind::extended, "extended"},
    {RecordKind::answered, "answered"},
    {RecordKind::lost, "lost"},
    {RecordKind::round_begun, "round_begun"},
    {RecordKind::asked, "asked"},
    {RecordKind::decided, "decided"},
    {RecordKind::awaited, "awaited"},
    {RecordKind::event_kept, "event_kept"},
    {RecordKind::happened, "happened"},
    {RecordKind::skipped, "skipped"},
    {RecordKind::turned_back, "turned_back"},
    {RecordKind::stalled, "stalled"},
    {RecordKind::given_up, "given_up"},
    {RecordKind::to_manual, "to_manual"},
    {RecordKind::paused, "paused"},
    {RecordKind::resumed, "resumed"},
    {RecordKind::resolved, "resolved"},
    {RecordKind::reopened, "reopened"},
    {RecordKind::refused, "refused"},
    {RecordKind::noted, "noted"},
    {RecordKind::ended, "ended"},
}};

template <class Names, class Value>
std::string_view name_in(const Names& names, Value value) {
  for (const auto& [each, name] : names) {
    if (each == value) return name;
  }
  std::unreachable();
}

template <class Names>
auto value_in(const Names& names, std::string_view text) -> std::optional<typename Names::value_type::first_type> {
  for (const auto& [each, name] : names) {
    if (name == text) return each;
  }
  return std::nullopt;
}

std::int64_t microseconds(TimePoint time) { return time.time_since_epoch().count(); }
TimePoint from_microseconds(std::int64_t count) { return TimePoint(Duration(count)); }

void write_if(json::Writer& writer, std::string_view name, std::string_view text) {
  if (!text.empty()) json::write(writer, name, text);
}
void write_if(json::Writer& writer, std::string_view name, std::int64_t number) {
  if (number != 0) json::write(writer, name, number);
}

void write_record(json::Writer& writer, const SagaRecord& record) {
  writer.StartObject();
  json::write(writer, "kind", to_string(record.kind));
  json::write(writer, "at", microseconds(record.at));
  write_if(writer, "step", record.step);
  if (record.direction != Direction::action) json::write(writer, "direction", to_string(record.direction));
  write_if(writer, "round", std::int64_t{record.round});
  write_if(writer, "attempt", std::int64_t{record.attempt});
  if (record.outcome != SagaOutcome::ok) json::write(writer, "outcome", makegood::to_string(record.outcome));
  if (!record.is_spent) json::write(writer, "spent", false);
  if (record.is_held) json::write(writer, "held", true);
  write_if(writer, "version", record.version);
  if (record.until) json::write(writer, "until", microseconds(*record.until));
  write_if(writer, "code", record.code);
  write_if(writer, "error", record.error);
  write_if(writer, "state", record.state);
  write_if(writer, "event", record.event);
  write_if(writer, "operator", record.operator_name);
  write_if(writer, "reason", record.reason);
  write_if(writer, "request", record.request);
  write_if(writer, "body", record.body);  // As a text, so that every byte of it comes back as it was.
  writer.EndObject();
}

Result<std::string> text_or_nothing(const json::Value& object, const char* name) {
  if (json::member(object, name) == nullptr) return std::string();
  return json::text_in(object, name);
}

template <class Value>
Result<Value> known(std::optional<Value> value) {
  if (!value) return json::damage("a word that this version does not know");
  return *value;
}

Result<> read_names(const json::Value& object, SagaRecord& record) {
  const std::string kind = MAKEGOOD_TRY(json::text_in(object, "kind"));
  record.kind = MAKEGOOD_TRY(known(value_in(kinds, kind)));
  const std::string direction = MAKEGOOD_TRY(text_or_nothing(object, "direction"));
  if (!direction.empty()) record.direction = MAKEGOOD_TRY(known(direction_from(direction)));
  const std::string outcome = MAKEGOOD_TRY(text_or_nothing(object, "outcome"));
  if (!outcome.empty()) record.outcome = MAKEGOOD_TRY(known(saga_outcome_from(outcome)));
  return {};
}

Result<> read_texts(const json::Value& object, SagaRecord& record) {
  record.step = MAKEGOOD_TRY(text_or_nothing(object, "step"));
  record.code = MAKEGOOD_TRY(text_or_nothing(object, "code"));
  record.error = MAKEGOOD_TRY(text_or_nothing(object, "error"));
  record.state = MAKEGOOD_TRY(text_or_nothing(object, "state"));
  record.event = MAKEGOOD_TRY(text_or_nothing(object, "event"));
  record.operator_name = MAKEGOOD_TRY(text_or_nothing(object, "operator"));
  record.reason = MAKEGOOD_TRY(text_or_nothing(object, "reason"));
  record.body = MAKEGOOD_TRY(text_or_nothing(object, "body"));
  return {};
}

Result<SagaRecord> read_record(const json::Value& object) {
  if (!object.IsObject()) return json::damage("a record is not an object");
  SagaRecord record;
  MAKEGOOD_TRY(read_names(object, record));
  MAKEGOOD_TRY(read_texts(object, record));
  record.at = from_microseconds(MAKEGOOD_TRY(json::number_in(object, "at")));
  record.round = static_cast<std::uint32_t>(MAKEGOOD_TRY(json::number_in(object, "round", 0)));
  record.attempt = static_cast<std::uint32_t>(MAKEGOOD_TRY(json::number_in(object, "attempt", 0)));
  record.is_spent = MAKEGOOD_TRY(json::flag_in(object, "spent", true));
  record.is_held = MAKEGOOD_TRY(json::flag_in(object, "held", false));
  record.version = MAKEGOOD_TRY(json::number_in(object, "version", 0));
  record.request = MAKEGOOD_TRY(json::number_in(object, "request", 0));
  if (json::member(object, "until") != nullptr) {
    record.until = from_microseconds(MAKEGOOD_TRY(json::number_in(object, "until")));
  }
  return record;
}

}  // namespace

std::string_view to_string(Direction direction) { return name_in(directions, direction); }
std::optional<Direction> direction_from(std::string_view text) { return value_in(directions, text); }
std::string_view to_string(RecordKind kind) { return name_in(kinds, kind); }
bool names_version(RecordKind kind) { return kind == RecordKind::begun || kind == RecordKind::repinned; }

std::string encode(const std::vector<SagaRecord>& records) {
  rapidjson::StringBuffer text;
  json::Writer writer(text);
  writer.StartArray();
  for (const SagaRecord& record : records) write_record(writer, record);
  writer.EndArray();
  return {text.GetString(), text.GetSize()};
}

Result<std::vector<SagaRecord>> decode_saga_records(std::string_view json) {
  rapidjson::Document document;
  document.Parse(json.data(), json.size());
  if (document.HasParseError() || !document.IsArray()) return json::damage("the journal is not a JSON array");
  std::vector<SagaRecord> records;
  records.reserve(document.Size());
  for (const json::Value& each : document.GetArray()) records.push_back(MAKEGOOD_TRY(read_record(each)));
  return records;
}

}  // namespace makegood::core
