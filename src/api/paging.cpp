#include "api/paging.hpp"

#include <fmt/format.h>

#include <charconv>

#include "api/json_out.hpp"

namespace makegood::api {
namespace {

constexpr std::int64_t limit_usual = 100;
constexpr IntegerRange limit_range{1, 1000};
constexpr TextRule cursor_rule{.bytes_max = 300, .says = "`next` of the page before."};

std::optional<std::int64_t> positive(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 1) return std::nullopt;
  return number;
}

void refuse_cursor(Fields& query) { query.mistake("cursor", "is not `next` of a page of this list"); }

}  // namespace

std::size_t limit_of(Fields& query) {
  return static_cast<std::size_t>(query.integer_or("limit", limit_usual, limit_range, "At most so many items."));
}

std::optional<std::int64_t> number_cursor(Fields& query) {
  const std::string cursor = query.text("cursor", cursor_rule);
  if (cursor.empty()) return std::nullopt;
  const auto number = positive(cursor);
  if (!number) refuse_cursor(query);
  return number;
}

DeadCursor dead_cursor(Fields& query) {
  const std::string cursor = query.text("cursor", cursor_rule);
  if (cursor.empty()) return {};
  const std::size_t blank = cursor.find(' ');
  const auto number = positive(std::string_view(cursor).substr(0, blank));
  if (blank != std::string::npos && number) return {.sequence = *number, .destination = cursor.substr(blank + 1)};
  refuse_cursor(query);
  return {};
}

std::string to_cursor(const DeadCursor& cursor) { return fmt::format("{} {}", cursor.sequence, cursor.destination); }

Result<std::int64_t> number_in_path(const std::string& text, std::string_view what) {
  if (const auto number = positive(text)) return *number;
  return Error{Errc::not_found, fmt::format("There is no {} '{}'; it is a number.", what, shown(text))};
}

DeadFilter dead_filter(Fields& fields) {
  constexpr std::string_view only_destination = "Only this destination; `-` for messages without a route.";
  DeadFilter filter{.tenant_id = fields.text("tenant", tenant_rule),
                    .topic = fields.text("topic", topic_rule),
                    .destination = fields.text("destination", {.says = only_destination}),
                    .error_code = fields.text("code", {.says = "Only this error code."})};
  filter.changed_from = fields.time("from", "When it died, this moment included.");
  filter.changed_until = fields.time("until", "This moment not included.");
  return filter;
}

void put_filter(Writer& writer, const DeadFilter& filter) {
  const auto put_if_set = [&](std::string_view name, const std::string& text) {
    if (!text.empty()) put(writer, name, std::string_view(text));
  };
  put_if_set("tenant", filter.tenant_id);
  put_if_set("topic", filter.topic);
  put_if_set("destination", filter.destination);
  put_if_set("code", filter.error_code);
  if (filter.changed_from) put(writer, "from", *filter.changed_from);
  if (filter.changed_until) put(writer, "until", *filter.changed_until);
}

}  // namespace makegood::api
