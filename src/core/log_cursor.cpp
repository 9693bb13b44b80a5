#include "core/log_cursor.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/request_answer.hpp"

namespace makegood::core {
namespace {

/// A row above the counter hides nothing as long as it is not read; when it is gone, all is well.
bool is_lasting(LogTrouble trouble) { return trouble != LogTrouble::none && trouble != LogTrouble::foreign_number; }

bool is_mended(LogTrouble trouble) { return trouble == LogTrouble::none || trouble == LogTrouble::drawn_again; }

}  // namespace

void LogCursor::begin(const Position& position, LogMark mark, std::size_t careful_rows) {
  reached_ = position.reached;
  open_ = position.open;
  mark_ = committed_mark_ = std::move(mark);
  careful_rows_ = careful_rows;
  for (const auto& [destination, numbers] : position.under_way) {
    for (const Sequence number : numbers) add_hole(number, destination);
  }
}

void LogCursor::committed(LogMark mark) {
  mark_ = committed_mark_ = std::move(mark);
  has_look_failed_ = false;
}

void LogCursor::fall_back(const Position& committed) {
  reached_ = committed.reached;
  open_ = committed.open;
  mark_ = committed_mark_;
  has_look_failed_ = true;
}

bool LogCursor::watch(const Found& found) {
  trouble_ = found.trouble;
  first_row_ = found.first_row;
  // After a failed look the database may have forgotten an owner that came after us, and what it has read.
  const bool is_anew = !std::exchange(has_looked_, true) || has_look_failed_;
  if (is_anew) found_counter_ = std::max(found_counter_, found.counter);
  const bool is_new = is_lasting(trouble_) && mark_.stopped == LogTrouble::none;
  if (is_new) mark_.stopped = trouble_;
  return is_new;
}

std::string LogCursor::go_on() {
  if (!is_stopped()) return refused("the log is as it was left");
  if (!is_mended(trouble_)) return refused(error_of(trouble_).message);
  if (trouble_ == LogTrouble::drawn_again) mark_.cleaned = std::max<Sequence>(0, first_row_ - 1);
  mark_.stopped = LogTrouble::none;
  trouble_ = LogTrouble::none;
  return std::string(done);
}

void LogCursor::rewind(Sequence counter) {
  mark_ = {.counter = counter};
  trouble_ = LogTrouble::none;
}

void LogCursor::follow(const Found& found) {
  mark_.counter = found.counter;
  const auto anchor_at = [this](const std::vector<MessagePtr>& rows) {
    for (const MessagePtr& row : rows) {
      if (row->sequence <= mark_.anchor) continue;
      mark_.anchor = row->sequence;
      mark_.anchor_event = row->event_id;
    }
  };
  anchor_at(found.rows);
  for (const Found::Side& side : found.sides) anchor_at(side.rows);
}

NumberSet LogCursor::replace_open(NumberSet open) { return std::exchange(open_, std::move(open)); }

std::vector<Sequence> LogCursor::pass(const Found& found) {
  careful_rows_ -= std::min(careful_rows_, found.rows.size());
  std::vector<Sequence> missing;
  for (auto hole = holes_.begin(); hole != holes_.end();) {
    const bool is_missing = !std::ranges::binary_search(found.unread, hole->first);
    if (is_missing) missing.push_back(hole->first);
    hole = is_missing ? holes_.erase(hole) : std::next(hole);
  }
  reached_ = std::max(reached_, found.looked_to);
  return missing;
}

bool LogCursor::has_hole(Sequence number, std::string_view destination) const {
  const auto hole = holes_.find(number);
  return hole != holes_.end() && std::ranges::find(hole->second, destination) != hole->second.end();
}

std::vector<std::string> LogCursor::take_hole(Sequence number) {
  auto hole = holes_.extract(number);
  return hole.empty() ? std::vector<std::string>() : std::move(hole.mapped());
}

std::vector<Sequence> LogCursor::take_holes_at(std::string_view destination) {
  std::vector<Sequence> numbers;
  for (auto hole = holes_.begin(); hole != holes_.end();) {
    if (std::erase(hole->second, destination) > 0) numbers.push_back(hole->first);
    hole = hole->second.empty() ? holes_.erase(hole) : std::next(hole);
  }
  return numbers;
}

}  // namespace makegood::core
