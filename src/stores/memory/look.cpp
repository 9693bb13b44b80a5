#include "stores/memory/look.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "makegood/assert.hpp"
#include "stores/memory/reading.hpp"

namespace makegood::memory {
namespace {

/// A lane carries out a few requests per turn; the rest comes with the next look.
constexpr std::size_t requests_max = 1000;

bool has_open_story(const State& state, Sequence sequence, const std::string& destination) {
  const auto row = state.parked.find({sequence, destination});
  return row != state.parked.end() && row->second.parked.state != ParkedState::done;
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
      const ParkedRow& row = state_.parked.at({key->sequence, key->destination});
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

  void add_due(const ParkedRow& row) {
    MessagePtr message = message_of(state_, row.parked.sequence);
    MAKEGOOD_ASSERT(message != nullptr);  // The cleaner keeps what a parked delivery needs.
    found_.due.push_back({row.parked, std::move(message)});
  }

  void read_requests() {
    for (const std::int64_t id : state_.unanswered) {
      if (found_.requests.size() == requests_max) {
        found_.is_more = true;
        return;
      }
      Request& request = found_.requests.emplace_back(Request{.id = id, .asked = state_.requests.at(id).asked});
      const auto row = state_.parked.find({request.asked.sequence, request.asked.destination});
      if (row != state_.parked.end()) request.row = row->second.parked;
    }
  }

  const State& state_;
  const LookFor& wanted_;
  Found found_;
  KeysInWait keys_in_wait_;
};

bool is_rewind_asked_for(const State& state) {
  return std::ranges::any_of(state.unanswered,
                             [&](std::int64_t id) { return state.requests.at(id).asked.kind == RequestKind::rewind; });
}

}  // namespace

Result<Found> look(const State& state, const LookFor& wanted, TimePoint now) {
  if (state.counter < wanted.reached && !is_rewind_asked_for(state)) {
    return Error{Errc::counter_behind,
                 "The log's counter is below what was already delivered; find out why, then rewind the outbox.",
                 fmt::format("counter {}, reached {}", state.counter, wanted.reached)};
  }
  return Look(state, wanted, now).run();
}

}  // namespace makegood::memory
