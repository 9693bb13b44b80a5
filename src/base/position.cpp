#include "makegood/spi/position.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <span>
#include <utility>

#include "base/json.hpp"
#include "makegood/spi/assert.hpp"

namespace makegood {
namespace {

using json::Value;
using json::Writer;

/// More than any lane can have under way: the text is not ours.
constexpr std::size_t under_way_max = 10'000'000;

/// How many are left out, how many are in, and so on. As pairs of numbers, 2,000 deliveries under way took 42 KB of
/// each turn, and half of its time. What is out of order could never be read again, so it is not written.
void write_run(Writer& writer, NumberRange run, Sequence& told) {
  MAKEGOOD_ASSERT(run.low > 0 && run.low >= told);
  writer.Int64(run.low - told);
  writer.Int64(run.high - run.low + 1);
  told = run.high + 1;
}

void write_numbers(Writer& writer, const NumberSet& numbers) {
  writer.StartArray();
  Sequence told = 0;
  for (const NumberRange& run : numbers.ranges()) write_run(writer, run, told);
  writer.EndArray();
}

void write_numbers(Writer& writer, std::span<const Sequence> numbers) {
  writer.StartArray();
  Sequence told = 0;
  while (!numbers.empty()) {
    std::size_t length = 1;
    while (length < numbers.size() && numbers[length] == numbers[length - 1] + 1) ++length;
    write_run(writer, {numbers.front(), numbers[length - 1]}, told);
    numbers = numbers.subspan(length);
  }
  writer.EndArray();
}

/// From, until, from, until …
void write_absences(Writer& writer, std::span<const Position::Absence> absences) {
  if (absences.empty()) return;
  json::write_name(writer, "absences_us");
  writer.StartArray();
  for (const Position::Absence& absence : absences) {
    writer.Int64(absence.from.time_since_epoch().count());
    writer.Int64(absence.until.time_since_epoch().count());
  }
  writer.EndArray();
}

void write_scope(Writer& writer, const Scope& scope) {
  json::write(writer, "destination", std::string_view(scope.destination));
  if (!scope.tenant_id.empty()) json::write(writer, "tenant_id", std::string_view(scope.tenant_id));
  if (!scope.dispatch_key.empty()) json::write(writer, "dispatch_key", std::string_view(scope.dispatch_key));
  if (scope.priority) json::write(writer, "priority", std::int64_t{*scope.priority});
}

void write_side(Writer& writer, const SideLane& side) {
  writer.StartObject();
  write_scope(writer, side.scope);
  json::write(writer, "why", to_string(side.why));
  if (side.is_paused) json::write(writer, "is_paused", true);
  json::write(writer, "reached", side.reached);
  json::write_name(writer, "under_way");
  write_numbers(writer, side.under_way);
  if (side.why == SideLane::Why::history) {
    json::write(writer, "begin", side.begin);
    json::write(writer, "end", side.end);
    json::write(writer, "routing", side.routing);
    if (side.replay > 0) json::write(writer, "replay", side.replay);
  }
  if (!side.because.empty()) json::write(writer, "because", std::string_view(side.because));
  if (side.since != TimePoint{}) json::write(writer, "since_us", side.since.time_since_epoch().count());
  writer.EndObject();
}

/// {"fn:billing":{"1":[3,3],"2":[9,1]}}: by how many owners died.
void write_suspects(Writer& writer, const Suspects& suspects) {
  writer.StartObject();
  for (const auto& [destination, deaths_of] : suspects) {
    std::map<unsigned, std::vector<Sequence>> by_deaths;
    for (const auto& [number, deaths] : deaths_of) by_deaths[deaths].push_back(number);
    json::write_name(writer, destination);
    writer.StartObject();
    for (const auto& [deaths, numbers] : by_deaths) {
      json::write_name(writer, std::to_string(deaths));
      write_numbers(writer, numbers);
    }
    writer.EndObject();
  }
  writer.EndObject();
}

void write_failing(Writer& writer, const Position& position) {
  writer.StartObject();
  for (const auto& [destination, failing] : position.failing) {
    json::write_name(writer, destination);
    writer.StartObject();
    json::write(writer, "since_us", failing.since.time_since_epoch().count());
    json::write(writer, "count", std::int64_t{failing.count});
    if (failing.unanswered > 0) {
      json::write(writer, "unanswered_since_us", failing.unanswered_since.time_since_epoch().count());
      json::write(writer, "unanswered", std::int64_t{failing.unanswered});
    }
    writer.EndObject();
  }
  writer.EndObject();
}

void write_cancelled(Writer& writer, const Position& position) {
  writer.StartObject();
  for (const auto& [destination, numbers] : position.cancelled) {
    json::write_name(writer, destination);
    write_numbers(writer, numbers);
  }
  writer.EndObject();
}

void write_exceptions(Writer& writer, const Position& position) {
  if (!position.sides.empty()) {
    json::write_name(writer, "sides");
    writer.StartArray();
    for (const SideLane& side : position.sides) write_side(writer, side);
    writer.EndArray();
  }
  if (!position.suspects.empty()) {
    json::write_name(writer, "suspects");
    write_suspects(writer, position.suspects);
  }
  if (position.alone) {
    json::write_name(writer, "alone");
    writer.StartObject();
    json::write(writer, "destination", std::string_view(position.alone->destination));
    json::write(writer, "sequence", position.alone->sequence);
    writer.EndObject();
  }
  if (!position.failing.empty()) {
    json::write_name(writer, "failing");
    write_failing(writer, position);
  }
  if (!position.cancelled.empty()) {
    json::write_name(writer, "cancelled");
    write_cancelled(writer, position);
  }
  if (position.clock != TimePoint()) {
    json::write(writer, "clock_us", std::int64_t{position.clock.time_since_epoch().count()});
  }
  write_absences(writer, position.absences);
}

/// [[3,5],[8,8]]: so it was written up to version 0.1.
Result<NumberRange> pair_from(const Value& pair) {
  if (pair.Size() != 2 || !pair[0].IsInt64() || !pair[1].IsInt64())
    return json::damage("a range is not a pair of numbers");
  return NumberRange{pair[0].GetInt64(), pair[1].GetInt64()};
}

/// Checked so that nothing can overflow, whatever the text holds.
Result<NumberRange> run_from(const Value& left_out, const Value& length, Sequence told) {
  if (!left_out.IsInt64() || !length.IsInt64()) return json::damage("the length of a run is not a number");
  constexpr Sequence last = std::numeric_limits<Sequence>::max() - 1;
  const Sequence skipped = left_out.GetInt64();
  if (skipped < 0 || skipped > last - told) return json::damage("run out of bounds");
  const Sequence low = told + skipped;
  if (length.GetInt64() < 1 || length.GetInt64() > last - low) return json::damage("run out of bounds");
  return NumberRange{low, low + length.GetInt64() - 1};
}

Result<NumberSet> set_from(const Value& list) {
  if (!list.IsArray()) return json::damage("numbers are not an array");
  NumberSet numbers;
  Sequence told = 0;
  for (rapidjson::SizeType index = 0; index < list.Size();) {
    const bool is_pair = list[index].IsArray();
    if (!is_pair && index + 1 == list.Size()) return json::damage("a run has no length");
    const NumberRange range =
        MAKEGOOD_TRY(is_pair ? pair_from(list[index]) : run_from(list[index], list[index + 1], told));
    if (range.low < std::max<Sequence>(told, 1) || range.high < range.low) return json::damage("numbers out of order");
    numbers.append(range);
    told = range.high + 1;
    index += is_pair ? 1 : 2;
  }
  return numbers;
}

Result<NumberSet> set_in(const Value& object, const char* name) {
  return set_from(*MAKEGOOD_TRY(json::array_in(object, name)));
}

Result<std::vector<Sequence>> numbers_from(const Value& list) {
  const NumberSet set = MAKEGOOD_TRY(set_from(list));
  for (const NumberRange& range : set.ranges()) {
    if (range.high - range.low >= static_cast<Sequence>(under_way_max)) return json::damage("too many numbers");
  }
  if (set.count() > under_way_max) return json::damage("too many numbers");
  std::vector<Sequence> numbers;
  numbers.reserve(set.count());
  for (const NumberRange& range : set.ranges()) {
    for (Sequence number = range.low; number <= range.high; ++number) numbers.push_back(number);
  }
  return numbers;
}

Result<std::vector<Sequence>> numbers_in(const Value& object, const char* name) {
  return numbers_from(*MAKEGOOD_TRY(json::array_in(object, name)));
}

Result<std::string> destination_in(const Value& object) {
  std::string name = MAKEGOOD_TRY(json::text_in(object, "destination"));
  if (name.empty()) return json::damage("destination");
  return name;
}

Result<SideLane::Why> why_in(const Value& object) {
  using enum SideLane::Why;
  const std::string text = MAKEGOOD_TRY(json::text_in(object, "why"));
  for (const auto why : {paused, broken, crowded, history, disabled}) {
    if (to_string(why) == text) return why;
  }
  return json::damage("why");
}

Result<std::optional<int>> priority_in(const Value& object) {
  const Value* priority = json::member(object, "priority");
  if (priority == nullptr) return std::optional<int>();
  if (!priority->IsInt()) return json::damage("priority");
  return std::optional(priority->GetInt());
}

/// A part of a scope that cannot be read must not make it wider.
Result<Scope> scope_from(const Value& value) {
  return Scope{.destination = MAKEGOOD_TRY(destination_in(value)),
               .tenant_id = MAKEGOOD_TRY(json::text_in(value, "tenant_id")),
               .dispatch_key = MAKEGOOD_TRY(json::text_in(value, "dispatch_key")),
               .priority = MAKEGOOD_TRY(priority_in(value))};
}

Result<SideLane> side_from(const Value& value) {
  if (!value.IsObject()) return json::damage("a side lane is not an object");
  SideLane side{.scope = MAKEGOOD_TRY(scope_from(value)),
                .why = MAKEGOOD_TRY(why_in(value)),
                .is_paused = MAKEGOOD_TRY(json::flag_in(value, "is_paused", false)),
                .reached = MAKEGOOD_TRY(json::number_in(value, "reached")),
                .under_way = MAKEGOOD_TRY(numbers_in(value, "under_way")),
                .because = MAKEGOOD_TRY(json::text_in(value, "because")),
                .since = TimePoint(Duration(MAKEGOOD_TRY(json::number_in(value, "since_us", 0))))};
  if (side.why != SideLane::Why::history) return side;
  side.begin = MAKEGOOD_TRY(json::number_in(value, "begin"));
  side.end = MAKEGOOD_TRY(json::number_in(value, "end"));
  side.routing = MAKEGOOD_TRY(json::number_in(value, "routing"));
  side.replay = MAKEGOOD_TRY(json::number_in(value, "replay", 0));
  return side;
}

Result<unsigned> deaths_from(const std::string& text) {
  unsigned deaths = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, deaths);
  if (error != std::errc() || rest != end || deaths == 0) return json::damage("deaths of a suspect");
  return deaths;
}

Result<Suspects> suspects_from(const Value& value) {
  if (!value.IsObject()) return json::damage("suspects");
  Suspects suspects;
  for (const auto& [destination, by_deaths] : value.GetObject()) {
    if (!by_deaths.IsObject()) return json::damage("suspects of a destination");
    auto& deaths_of = suspects[json::text_of(destination)];
    for (const auto& [deaths, ranges] : by_deaths.GetObject()) {
      const unsigned count = MAKEGOOD_TRY(deaths_from(json::text_of(deaths)));
      for (const Sequence number : MAKEGOOD_TRY(numbers_from(ranges))) deaths_of[number] = count;
    }
  }
  return suspects;
}

Result<Position::Alone> alone_from(const Value& value) {
  if (!value.IsObject()) return json::damage("alone");
  return Position::Alone{.destination = MAKEGOOD_TRY(destination_in(value)),
                         .sequence = MAKEGOOD_TRY(json::number_in(value, "sequence"))};
}

Result<std::uint32_t> failures_in(const Value& value, const char* name, std::int64_t absent) {
  const std::int64_t count = MAKEGOOD_TRY(json::number_in(value, name, absent));
  if (count < 0 || count > std::numeric_limits<std::uint32_t>::max()) return json::damage("count of failures");
  return static_cast<std::uint32_t>(count);
}

Result<TimePoint> time_in(const Value& value, const char* name, std::int64_t absent) {
  return TimePoint(Duration(MAKEGOOD_TRY(json::number_in(value, name, absent))));
}

/// What was written before answers were told apart begins anew.
Result<Failing> failing_from(const Value& value) {
  if (!value.IsObject()) return json::damage("failing");
  return Failing{.since = TimePoint(Duration(MAKEGOOD_TRY(json::number_in(value, "since_us")))),
                 .count = MAKEGOOD_TRY(failures_in(value, "count", -1)),
                 .unanswered_since = MAKEGOOD_TRY(time_in(value, "unanswered_since_us", 0)),
                 .unanswered = MAKEGOOD_TRY(failures_in(value, "unanswered", 0))};
}

Result<std::vector<Position::Absence>> read_absences(const Value& document) {
  std::vector<Position::Absence> absences;
  if (json::member(document, "absences_us") == nullptr) return absences;
  const Value& times = *MAKEGOOD_TRY(json::array_in(document, "absences_us"));
  if (times.Size() % 2 != 0) return json::damage("an absence has no end");
  for (rapidjson::SizeType index = 0; index < times.Size(); index += 2) {
    if (!times[index].IsInt64() || !times[index + 1].IsInt64()) return json::damage("an absence is no time");
    absences.push_back(
        {TimePoint(Duration(times[index].GetInt64())), TimePoint(Duration(times[index + 1].GetInt64()))});
  }
  return absences;
}

Result<> read_cancelled(const Value& document, Position& position) {
  if (json::member(document, "cancelled") == nullptr) return {};
  const Value* cancelled = MAKEGOOD_TRY(json::object_in(document, "cancelled"));
  for (const auto& [destination, numbers] : cancelled->GetObject()) {
    position.cancelled.emplace(json::text_of(destination), MAKEGOOD_TRY(set_from(numbers)));
  }
  return {};
}

Result<> read_exceptions(const Value& document, Position& position) {
  if (json::member(document, "sides") != nullptr) {
    const Value* sides = MAKEGOOD_TRY(json::array_in(document, "sides"));
    for (const auto& side : sides->GetArray()) position.sides.push_back(MAKEGOOD_TRY(side_from(side)));
  }
  if (const Value* suspects = json::member(document, "suspects")) {
    position.suspects = MAKEGOOD_TRY(suspects_from(*suspects));
  }
  if (const Value* alone = json::member(document, "alone")) position.alone = MAKEGOOD_TRY(alone_from(*alone));
  MAKEGOOD_TRY(read_cancelled(document, position));
  if (json::member(document, "clock_us") != nullptr) {
    position.clock = TimePoint(Duration(MAKEGOOD_TRY(json::number_in(document, "clock_us"))));
  }
  position.absences = MAKEGOOD_TRY(read_absences(document));
  if (json::member(document, "failing") == nullptr) return {};
  const Value* failing = MAKEGOOD_TRY(json::object_in(document, "failing"));
  for (const auto& [destination, value] : failing->GetObject()) {
    position.failing.emplace(json::text_of(destination), MAKEGOOD_TRY(failing_from(value)));
  }
  return {};
}

Result<Position> position_from(std::string_view text) {
  const rapidjson::Document document = MAKEGOOD_TRY(json::parse_object(text));
  Position position{.reached = MAKEGOOD_TRY(json::number_in(document, "reached")),
                    .open = MAKEGOOD_TRY(set_in(document, "open"))};
  const Value* under_way = MAKEGOOD_TRY(json::object_in(document, "under_way"));
  for (const auto& [destination, ranges] : under_way->GetObject()) {
    auto numbers = MAKEGOOD_TRY(numbers_from(ranges));
    if (numbers.empty()) continue;
    position.under_way.emplace(json::text_of(destination), std::move(numbers));
  }
  MAKEGOOD_TRY(read_exceptions(document, position));
  return position;
}

Sequence settled_by(const SideLane& side) {
  return side.under_way.empty() ? side.reached : std::min(side.reached, side.under_way.front() - 1);
}

}  // namespace

Sequence settled(const Position& position) {
  Sequence lowest = position.reached + 1;
  if (!position.open.empty()) lowest = std::min(lowest, position.open.front());
  for (const auto& [destination, numbers] : position.under_way) lowest = std::min(lowest, numbers.front());
  for (const SideLane& side : position.sides) lowest = std::min(lowest, settled_by(side) + 1);
  return lowest - 1;
}

std::string encode(const Position& position) {
  rapidjson::StringBuffer text;
  Writer writer(text);
  writer.StartObject();
  json::write(writer, "reached", position.reached);
  json::write_name(writer, "open");
  write_numbers(writer, position.open);
  json::write_name(writer, "under_way");
  writer.StartObject();
  for (const auto& [destination, numbers] : position.under_way) {
    json::write_name(writer, destination);
    write_numbers(writer, numbers);
  }
  writer.EndObject();
  write_exceptions(writer, position);
  writer.EndObject();
  return {text.GetString(), text.GetSize()};
}

Result<Position> decode_position(std::string_view json) {
  auto position = position_from(json);
  if (!position) {
    position.error().message = "The stored position cannot be read; restore the turn table from a backup.";
  }
  return position;
}

}  // namespace makegood
