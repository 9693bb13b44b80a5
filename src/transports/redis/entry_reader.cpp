#include "transports/redis/entry_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <utility>

#include "base/json.hpp"
#include "base/new_row.hpp"

namespace makegood::redis {
namespace {

constexpr std::string_view content_field = "data";
constexpr std::string_view nothing_yet = "0-0";

/// What comes behind a place, and what tells whether all of it is still there, in one moment: the newest entry ever,
/// how many were ever added (Redis 7 knows), how many there are, whether anything up to the place is left, and the
/// entries, as many as fit. Of one that is too large only its size is told.
constexpr std::string_view look_script = R"(
if redis.call('EXISTS', KEYS[1]) == 0 then return {'', -1, 0, 0, {}} end
local info = redis.call('XINFO', 'STREAM', KEYS[1])
local known = {}
for i = 1, #info, 2 do known[info[i]] = info[i + 1] end
local before = redis.call('XRANGE', KEYS[1], '-', ARGV[1], 'COUNT', 1)
local rows = redis.call('XRANGE', KEYS[1], '(' .. ARGV[1], '+', 'COUNT', ARGV[2])
local answer, bytes = {}, 0
for _, row in ipairs(rows) do
  local size = 0
  for _, text in ipairs(row[2]) do size = size + #text end
  if size > tonumber(ARGV[4]) then
    row = {row[1], {}, size}
    size = 0
  end
  if #answer > 0 and bytes + size > tonumber(ARGV[3]) then break end
  bytes = bytes + size
  answer[#answer + 1] = row
end
return {known['last-generated-id'], known['entries-added'] or -1, known['length'], #before, answer}
)";

/// `1526919030474-55`.
struct Id {
  std::uint64_t time = 0;
  std::uint64_t number = 0;
  auto operator<=>(const Id&) const = default;
};
std::optional<Id> id_from(std::string_view text) {
  Id id;
  const std::size_t dash = text.find('-');
  const auto read = [](std::string_view digits, std::uint64_t& number) {
    const auto [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return failed == std::errc() && end == digits.data() + digits.size();
  };
  if (dash == std::string_view::npos || !read(text.substr(0, dash), id.time)) return std::nullopt;
  return read(text.substr(dash + 1), id.number) ? std::optional(id) : std::nullopt;
}
/// The last entry that was taken in, and how many were added up to it: `1526919030474-55/1234`. An operator, and a
/// server older than 7, say the first half only.
struct Place {
  Id id;
  std::int64_t index = -1;
};
std::optional<Place> place_from(std::string_view text) {
  const std::size_t slash = std::min(text.find('/'), text.size());
  const auto id = id_from(text.substr(0, slash));
  if (!id) return std::nullopt;
  Place place{.id = *id};
  const std::string_view digits = text.substr(std::min(text.size(), slash + 1));
  if (!digits.empty()) std::from_chars(digits.data(), digits.data() + digits.size(), place.index);
  return place;
}
std::string place_text(std::string_view id, std::int64_t index) {
  return index < 0 ? std::string(id) : fmt::format("{}/{}", id, index);
}
std::string_view id_in(std::string_view place) { return place.substr(0, place.find('/')); }

/// The one before it, which need not be there.
std::string before(const Id& id) {
  if (id.number > 0) return fmt::format("{}-{}", id.time, id.number - 1);
  if (id.time == 0) return std::string(nothing_yet);
  return fmt::format("{}-{}", id.time - 1, std::numeric_limits<std::uint64_t>::max());
}

struct Entry {
  std::string_view id;
  std::span<const Value> fields;  ///< Names and values.
  std::int64_t too_large = 0;     ///< So many bytes; its fields were left out.
};
std::optional<Entry> entry_in(const Value& value) {
  const bool is_entry = value.kind == Value::Kind::list && value.items.size() >= 2 &&
                        value.items[1].kind == Value::Kind::list && value.items[1].items.size() % 2 == 0;
  if (!is_entry) return std::nullopt;
  return Entry{.id = value.items[0].text,
               .fields = value.items[1].items,
               .too_large = value.items.size() > 2 ? value.items[2].number : 0};
}

/// What has no content of its own is an object of its fields.
std::string object_of(std::span<const Value> fields) {
  rapidjson::StringBuffer text;
  json::Writer writer(text);
  writer.StartObject();
  for (std::size_t index = 0; index + 1 < fields.size(); index += 2) {
    json::write(writer, fields[index].text, fields[index + 1].text);
  }
  writer.EndObject();
  return {text.GetString(), text.GetSize()};
}

Arrival arrival_of(const Entry& entry, const std::string& stream, std::int64_t index) {
  Arrival arrival{
      .partition = stream, .at = std::string(entry.id), .next = place_text(entry.id, index), .topic = stream};
  if (entry.too_large > 0) {
    arrival.unreadable_because = fmt::format("It has {} bytes, more than a log takes.", entry.too_large);
    return arrival;
  }
  for (std::size_t at = 0; at + 1 < entry.fields.size(); at += 2) {
    const std::string_view value = entry.fields[at + 1].text;
    if (entry.fields[at].text == content_field) {
      arrival.value = value;
    } else {
      arrival.headers.emplace_back(entry.fields[at].text, value);
    }
  }
  if (!arrival.value) arrival.value = object_of(entry.fields);
  return arrival;
}

/// As the script says it.
struct Found {
  std::string_view newest;
  std::int64_t added = -1;  ///< -1: the server does not count them.
  std::int64_t length = 0;
  bool has_before = false;
  std::span<const Value> entries = {};
};
Result<Found> found_in(const Value& answer) {
  if (answer.kind != Value::Kind::list || answer.items.size() != 5) return garbled();
  return Found{.newest = answer.items[0].text,
               .added = answer.items[1].number,
               .length = answer.items[2].number,
               .has_before = answer.items[3].number > 0,
               .entries = answer.items[4].items};
}

/// The stream is another one by now, or entries behind the place were removed before they were taken in: of all that
/// were added behind it, some are no longer there. As long as anything up to the place is left, none were trimmed.
bool is_gone(const Found& found, const Place& place) {
  const auto newest = id_from(found.newest);
  if (!newest) return place.id != Id();  // There is no stream.
  if (*newest < place.id) return true;
  const bool is_counted = place.index >= 0 && found.added >= 0;
  return !found.has_before && is_counted && found.added - place.index > found.length;
}

}  // namespace

Result<std::unique_ptr<Source>> EntryReader::open(RedisSourceSettings settings, broker::Access access,
                                                  const BrokerOptions& options, const Clock& clock) {
  std::unique_ptr<EntryReader> reader(new EntryReader(std::move(settings)));
  const auto converse = [self = reader.get(), username = access.username](broker::Credentials credentials) {
    auto asker = std::make_unique<Asker>(username, self->settings_.database, std::move(credentials));
    self->asker_ = asker.get();
    return std::unique_ptr<broker::Conversation>(std::move(asker));
  };
  reader->dialogue_ = MAKEGOOD_TRY(broker::Dialogue::with(std::move(access), options, clock, converse));
  return std::unique_ptr<Source>(std::move(reader));
}

Result<> EntryReader::connect() { return dialogue_->open(); }

Result<std::string> EntryReader::ask(std::initializer_list<std::string_view> arguments) {
  asker_->ask(arguments);
  MAKEGOOD_TRY(dialogue_->await([this] { return !asker_->answers().empty(); }));
  std::string answer = std::move(asker_->answers().front());
  asker_->answers().pop_front();
  if (answer.starts_with('-')) {
    return Error{Errc::unavailable, fmt::format("Redis does not let the stream {} be read: {}.", settings_.stream,
                                                std::string_view(answer).substr(1, answer.find('\r') - 1))};
  }
  return answer;
}

Result<std::string> EntryReader::first(const std::string& /*partition*/) {
  MAKEGOOD_TRY(connect());
  const std::string answer =
      MAKEGOOD_TRY(ask({"EVAL", look_script, "1", settings_.stream, nothing_yet, "1", "0", "0"}));
  const auto parsed = MAKEGOOD_TRY(parse_value(answer, answer_limits));
  const Found found = MAKEGOOD_TRY(found_in(parsed->value));
  const auto oldest = found.entries.empty() ? std::nullopt : entry_in(found.entries.front());
  const auto id = oldest ? id_from(oldest->id) : std::nullopt;
  const bool is_earliest = settings_.begin == SourceBegin::earliest;
  if (is_earliest && id) return place_text(before(*id), found.added < 0 ? -1 : found.added - found.length);
  return place_text(found.newest.empty() ? nothing_yet : found.newest, found.newest.empty() ? 0 : found.added);
}

Result<> EntryReader::start(const std::vector<SourcePlace>& places) {
  MAKEGOOD_TRY(connect());
  for (const SourcePlace& place : places) {
    if (!place_from(place.next)) {
      return Error{Errc::invalid, fmt::format("A place in {} is the id of an entry, as in 1526919030474-55, not {}.",
                                              place.partition, place.next)};
    }
    place_ = place.next;
  }
  is_lost_ = false;
  return {};
}

Result<Polled> EntryReader::poll(const PollLimits& limits, Duration wait) {
  MAKEGOOD_TRY(connect());
  Polled polled;
  if (!std::exchange(has_told_, true)) {
    polled.partitions = {settings_.stream};
    return polled;
  }
  if (is_held_ || is_lost_ || place_.empty()) {
    MAKEGOOD_TRY(dialogue_->listen(wait));
    return polled;
  }
  MAKEGOOD_TRY(read(limits, polled));
  const bool is_empty = polled.arrivals.empty() && polled.gone.empty();
  if (is_empty && MAKEGOOD_TRY(wait_for_more(wait))) MAKEGOOD_TRY(read(limits, polled));
  return polled;
}

Result<> EntryReader::read(const PollLimits& limits, Polled& polled) {
  const std::string answer =
      MAKEGOOD_TRY(ask({"EVAL", look_script, "1", settings_.stream, id_in(place_), std::to_string(limits.rows_max),
                        std::to_string(limits.bytes_max), std::to_string(content_bytes_highest)}));
  const auto parsed = MAKEGOOD_TRY(parse_value(answer, answer_limits));
  const Found found = MAKEGOOD_TRY(found_in(parsed->value));
  const Place place = *place_from(place_);
  if (is_gone(found, place)) {
    is_lost_ = true;
    polled.gone = {settings_.stream};
    return {};
  }
  std::int64_t index = place.index;
  for (const Value& value : found.entries) {
    const auto entry = entry_in(value);
    if (!entry || !id_from(entry->id)) return garbled();
    if (entry->id == found.newest) index = found.added - 1;  // Counted anew: some may have been deleted one by one.
    if (index >= 0) ++index;
    polled.arrivals.push_back(arrival_of(*entry, settings_.stream, index));
  }
  if (!polled.arrivals.empty()) place_ = polled.arrivals.back().next;
  behind_ = id_in(place_) == found.newest ? 0 : found.length;
  return {};
}

/// A bell only: what it says is read in one moment with what was removed.
Result<bool> EntryReader::wait_for_more(Duration wait) {
  const auto milliseconds = std::max<std::int64_t>(1, wait / std::chrono::milliseconds(1));
  const std::string answer = MAKEGOOD_TRY(
      ask({"XREAD", "COUNT", "1", "BLOCK", std::to_string(milliseconds), "STREAMS", settings_.stream, id_in(place_)}));
  return !answer.starts_with("*-1") && !answer.starts_with("$-1");
}

/// What comes of it changes nothing: others see how far it is, or do not.
void EntryReader::acknowledge(const std::vector<SourcePlace>& places) {
  if (settings_.group.empty() || !dialogue_->is_open()) return;
  for (const SourcePlace& place : places) {
    if (std::exchange(is_new_group_, false)) {
      static_cast<void>(ask({"XGROUP", "CREATE", settings_.stream, settings_.group, id_in(place.next)}));
    }
    if (dialogue_->is_open()) {
      static_cast<void>(ask({"XGROUP", "SETID", settings_.stream, settings_.group, id_in(place.next)}));
    }
  }
}

}  // namespace makegood::redis
