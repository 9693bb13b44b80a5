#include "stores/memory/look.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/log_mark.hpp"
#include "stores/memory/reading.hpp"

namespace makegood::memory {
namespace {

/// A lane carries out a few requests per turn; the rest comes with the next look.
constexpr std::size_t requests_max = 1000;

/// For all destinations: put away, cancelled before it was read, or about to be led by the newest routes.
bool is_put_away_or_led(const Parked& whole) {
  return whole.state == ParkedState::waiting || whole.state == ParkedState::quarantined ||
         whole.error_code == to_string(Errc::cancelled);
}

bool has_open_story(const State& state, Sequence sequence, const std::string& destination) {
  const ParkedRow* row = find_parked(state, sequence, destination);
  if (row != nullptr && row->parked.state != ParkedState::done) return true;
  const ParkedRow* whole = find_parked(state, sequence, std::string(unrouted));
  return whole != nullptr && is_put_away_or_led(whole->parked);
}

bool is_wanted(const State& state, const Filter& filter, const Message& row) {
  if (!wants(filter, row.topic, row.tenant_id, row.dispatch_key, row.priority)) return false;
  const bool is_again = filter.is_history && filter.scope;
  return !is_again || !has_open_story(state, row.sequence, filter.scope->destination);
}

class Look {
  using Choice = Reading::Choice;

 public:
  Look(const State& state, const LookFor& wanted, TimePoint now) : state_(state), wanted_(wanted) {
    found_.now = now;
    found_.counter = state.counter;
  }

  /// Nothing is read but what operators ask for.
  Found stopped_by(LogTrouble trouble) && {
    found_.trouble = trouble;
    read_requests();
    if (wants_first_row(found_.requests) && !state_.log.empty()) found_.first_row = state_.log.begin()->first;
    return requests_alone(wanted_, std::move(found_));
  }

  Found run() && {
    read_rows();
    for (const LookFor::Side& side : wanted_.sides) read_side(side);
    for (const LookFor::Due& due : wanted_.due) read_due(due);
    read_requests();
    return std::move(found_);
  }

 private:
  void read_rows() {
    Reading reading(state_, {wanted_.rows_max, wanted_.bytes_max, wanted_.filter ? wanted_.passed_max : 0});
    reading.read_numbers(wanted_.numbers);
    reading.read_late(wanted_.open);
    // What is left up to the counter is open, and listed, or was rolled back.
    const Sequence until = wanted_.is_reading_on ? state_.counter : wanted_.reached;
    reading.read_beyond(wanted_.reached, until, [&](const Message& row) {
      if (is_waiting(reading.keys_in_wait, row)) return Choice::leave;
      return !wanted_.filter || is_wanted(state_, *wanted_.filter, row) ? Choice::take : Choice::pass;
    });
    found_.looked_to = reading.looked_to;
    found_.is_more = reading.is_cut;
    found_.rows = std::move(reading.rows);
    found_.unread = std::move(reading.unread);
    const bool was_read = wanted_.rows_max > 0 && found_.unread.empty();
    found_.open = was_read ? united(reading.left, open_up_to(found_.looked_to)) : wanted_.open;
    keys_in_wait_ = std::move(reading.keys_in_wait);
  }

  NumberSet open_up_to(Sequence last) const {
    NumberSet open;
    for (auto number = state_.open.begin(); number != state_.open.upper_bound(last); ++number)
      open.append(number->first);
    return open;
  }

  /// Of a number that was open until now the main lane tells, which hands it over; what has one of those before it in
  /// its key waits.
  void read_side(const LookFor::Side& side) {
    Reading reading(state_, {side.rows_max, side.bytes_max, side.passed_max});
    reading.read_numbers(side.numbers);
    reading.read_beyond(side.reached, side.until, [&](const Message& row) {
      if (wanted_.open.contains(row.sequence) || !is_wanted(state_, side.filter, row)) return Choice::pass;
      return is_waiting(keys_in_wait_, row) ? Choice::stop : Choice::take;
    });
    found_.is_more = found_.is_more || reading.is_cut;
    found_.sides.push_back(
        {.looked_to = reading.looked_to, .rows = std::move(reading.rows), .unread = std::move(reading.unread)});
  }

  void read_due(const LookFor::Due& due) {
    std::size_t count = 0;
    for (auto key = state_.waiting.lower_bound({due.destination, TimePoint::min(), 0});
         key != state_.waiting.end() && key->destination == due.destination; ++key) {
      const ParkedRow& row = state_.parked.at({key->sequence, key->destination, key->event_id});
      if (!row.in_hand_of.empty() && row.in_hand_of == wanted_.owner) continue;
      if (std::ranges::find(due.without_tenants, row.parked.tenant_id) != due.without_tenants.end()) continue;
      const bool is_due = key->due_at <= found_.now;
      if (!is_due || count == due.rows_max) {
        found_.next_due.push_back({due.destination, key->due_at});
        found_.is_more = found_.is_more || (is_due && due.rows_max > 0);
        return;
      }
      add_due(row);
      ++count;
    }
  }

  void add_due(const ParkedRow& row) { found_.due.push_back({row.parked, message_of(state_, row.parked)}); }

  void read_requests() {
    for (const std::int64_t id : state_.unanswered) {
      if (found_.requests.size() == requests_max) {
        found_.is_more = true;
        return;
      }
      Request& request = found_.requests.emplace_back(Request{.id = id, .asked = state_.requests.at(id).asked});
      const ParkedRow* row = find_parked(state_, request.asked.sequence, request.asked.destination);
      if (row != nullptr) request.row = row->parked;
      if (request.asked.kind == RequestKind::cancel_message) add_message(request);
      if (request.asked.kind == RequestKind::rewind) add_put_away(request);
    }
  }

  void add_message(Request& request) {
    const Sequence sequence = request.asked.sequence;
    request.message = message_of(state_, sequence);
    if (request.message == nullptr) return;
    for (auto row = state_.parked.lower_bound({sequence, ""});
         row != state_.parked.end() && row->first.sequence == sequence; ++row) {
      if (row->first.event_id == request.message->event_id) request.rows.push_back(row->second.parked);
    }
  }

  void add_put_away(Request& request) {
    for (const auto& [key, row] : state_.parked) {
      const bool is_put_away = row.parked.state == ParkedState::quarantined && is_in_log(state_, key);
      if (is_put_away) request.rows.push_back(row.parked);
    }
  }

  const State& state_;
  const LookFor& wanted_;
  Found found_;
  KeysInWait keys_in_wait_;
};

LogSight sight_of(const State& state, const LogMark& mark, bool is_thorough) {
  LogSight seen{.reached = state.position.reached, .counter = state.counter};
  if (!state.log.empty()) seen.highest = state.log.rbegin()->first;
  const auto anchor = state.log.find(mark.anchor);
  if (anchor != state.log.end()) seen.anchor_event = anchor->second->event_id;
  seen.has_row_in_cleaned = is_thorough && !state.log.empty() && state.log.begin()->first <= mark.cleaned;
  return seen;
}

bool is_last_turn(const State& state, const LookFor& wanted) {
  if (state.turns.empty()) return false;
  const auto& [number, last] = *state.turns.rbegin();
  return number == wanted.after && last.owner == wanted.owner;
}

}  // namespace

Result<Found> look(const State& state, const LookFor& wanted, TimePoint now) {
  if (wanted.after > 0 && !is_last_turn(state, wanted)) {
    return Error{Errc::fenced, "Another owner wrote after us; the lane has to be taken anew."};
  }
  const LogMark mark = last_mark(state);
  const LogTrouble trouble = compare(mark, sight_of(state, mark, wanted.is_thorough));
  if (!is_readable(mark, trouble)) return Look(state, wanted, now).stopped_by(trouble);
  if (state.counter < wanted.reached) {
    return Error{Errc::fenced, "The store has forgotten what was read; the lane has to be taken anew.",
                 fmt::format("counter {}, reached {}", state.counter, wanted.reached)};
  }
  return Look(state, wanted, now).run();
}

}  // namespace makegood::memory
