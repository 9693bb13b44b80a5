#include "base/log_mark.hpp"

#include <algorithm>
#include <utility>

#include "base/texts.hpp"

namespace makegood {
namespace {

constexpr Texts<LogTrouble, LogTrouble::foreign_number> troubles{
    "", "counter_behind", "anchor_missing", "anchor_changed", "drawn_again", "sequence_changed", "foreign_number"};

}  // namespace

std::string_view to_string(LogTrouble trouble) { return troubles.of(trouble); }
std::optional<LogTrouble> log_trouble_from(std::string_view text) { return troubles.find(text); }

Error error_of(LogTrouble trouble) {
  switch (trouble) {
    case LogTrouble::none:
      break;
    case LogTrouble::counter_behind:
      return {Errc::counter_behind,
              "The log's counter was set back: numbers are drawn a second time. To deliver what is in the log, run "
              "`makegood outbox rewind`; if the counter is right again, run `makegood outbox go-on`."};
    case LogTrouble::anchor_missing:
      return {
          Errc::log_changed,
          "The newest message that was read is gone: the log was emptied or restored. To deliver what is in the log, "
          "run `makegood outbox rewind`; if the message is there again, run `makegood outbox go-on`."};
    case LogTrouble::anchor_changed:
      return {
          Errc::log_changed,
          "The number of the newest message that was read is another message's: the log was emptied and numbers were "
          "drawn a second time. To deliver what is in the log, run `makegood outbox rewind`."};
    case LogTrouble::drawn_again:
      return {
          Errc::log_changed,
          "Messages lie where delivered ones were cleaned away: numbers were drawn a second time. To deliver them, run "
          "`makegood outbox rewind`; to take them for delivered, run `makegood outbox go-on`."};
    case LogTrouble::sequence_changed:
      return {
          Errc::log_changed,
          "The log's sequence does not draw one number after the other. Run ALTER SEQUENCE … INCREMENT 1 CACHE 1 NO "
          "CYCLE, end the sessions that enqueue, then run `makegood outbox go-on`."};
    case LogTrouble::foreign_number:
      return {Errc::store_corrupt,
              "The log holds a number that the database never drew: a foreign row, or a counter that was set back. "
              "`makegood doctor` tells how to mend either."};
  }
  std::unreachable();
}

LogTrouble compare(const LogMark& mark, const LogSight& seen) {
  if (seen.counter < std::max(mark.counter, seen.reached)) return LogTrouble::counter_behind;
  if (mark.anchor > 0 && !seen.anchor_event) return LogTrouble::anchor_missing;
  if (mark.anchor > 0 && *seen.anchor_event != mark.anchor_event) return LogTrouble::anchor_changed;
  if (seen.has_row_in_cleaned) return LogTrouble::drawn_again;
  if (!seen.counts_by_one) return LogTrouble::sequence_changed;
  return seen.highest > seen.counter ? LogTrouble::foreign_number : LogTrouble::none;
}

bool is_readable(const LogMark& mark, LogTrouble trouble) {
  return mark.stopped == LogTrouble::none && trouble == LogTrouble::none;
}

Found requests_alone(const LookFor& wanted, Found found) {
  found.looked_to = wanted.reached;
  found.unread = wanted.numbers;
  found.open = wanted.open;
  for (const LookFor::Side& side : wanted.sides) {
    found.sides.push_back({.looked_to = side.reached, .rows = {}, .unread = side.numbers});
  }
  return found;
}

bool wants_first_row(const std::vector<Request>& requests) {
  return std::ranges::any_of(requests, [](const Request& request) {
    return request.asked.kind == RequestKind::rewind || request.asked.kind == RequestKind::go_on;
  });
}

}  // namespace makegood
