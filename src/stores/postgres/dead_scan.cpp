#include "stores/postgres/dead_scan.hpp"

#include "base/parked_row.hpp"
#include "base/story.hpp"
#include "makegood/events.hpp"

namespace makegood::postgres {
namespace {

constexpr std::string_view event_prefix = "makegood.";
static_assert(is_event_topic(event_prefix));

}  // namespace

TopicPattern::TopicPattern(std::string_view pattern) {
  if (pattern.empty() || pattern == "*") return;
  for (const char c : pattern) {
    const bool is_sign = c == '\\' || c == '%' || c == '_';
    if (is_sign) like += '\\';
    like += c == '*' ? '%' : c;
  }
  // What Makegood tells of itself is for those who ask for it by name.
  if (!is_event_topic(pattern)) unless_it_begins_with = event_prefix;
}

Result<DeadLetter> read_dead_letter(const Rows& row) {
  DeadLetter letter{.parked = MAKEGOOD_TRY(read_parked(row)),
                    .topic = std::string(row.text(parked_columns + 2)),
                    .event_id = std::string(row.text(parked_columns + 3)),
                    .changed_at = row.time(parked_columns),
                    .story = {}};
  // The server has its own way to write JSON down.
  letter.story = encode_story(MAKEGOOD_TRY(decode_story(row.text(parked_columns + 1))));
  return letter;
}

Result<std::vector<DeadLetter>> read_dead_letters(Rows rows) {
  std::vector<DeadLetter> letters;
  letters.reserve(rows.count());
  while (rows.next()) letters.push_back(MAKEGOOD_TRY(read_dead_letter(rows)));
  return letters;
}

}  // namespace makegood::postgres
