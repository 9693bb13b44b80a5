#include "stores/memory/look.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "makegood/assert.hpp"

namespace makegood::memory {
namespace {

/// A lane carries out a few requests per turn; the rest comes with the next look.
constexpr std::size_t requests_max = 1000;

class Look {
 public:
  Look(const State& state, const LookFor& wanted, TimePoint now) : state_(state), wanted_(wanted) {
    found_.now = now;
    found_.counter = state.counter;
    found_.looked_to = wanted.reached;
  }

  Found run() && {
    read_numbers();
    if (found_.unread.empty() && wanted_.rows_max > 0) read_beyond();
    read_open();
    for (const LookFor::Due& due : wanted_.due) read_due(due);
    read_requests();
    return std::move(found_);
  }

 private:
  bool has_room_for(const Message& row) const {
    if (found_.rows.size() >= wanted_.rows_max) return false;
    return found_.rows.empty() || bytes_ + bytes_of(row) <= wanted_.bytes_max;
  }

  void add(const MessagePtr& row) {
    bytes_ += bytes_of(*row);
    found_.rows.push_back(row);
  }

  /// A number without a row costs no room: it is open, or it will never appear.
  void read_numbers() {
    std::vector<Sequence> numbers = wanted_.numbers;
    std::ranges::sort(numbers);
    for (const Sequence number : numbers) {
      const auto row = state_.log.find(number);
      const bool is_visible = row != state_.log.end();
      if (found_.unread.empty() && !is_visible) continue;
      if (found_.unread.empty() && has_room_for(*row->second)) {
        add(row->second);
      } else {
        found_.unread.push_back(number);
      }
    }
    found_.is_more = !found_.unread.empty() && wanted_.rows_max > 0;
  }

  void read_beyond() {
    for (auto row = state_.log.upper_bound(wanted_.reached); row != state_.log.end(); ++row) {
      if (!has_room_for(*row->second)) {
        found_.is_more = true;
        return;
      }
      add(row->second);
      found_.looked_to = row->first;
    }
    // What is left up to the counter is open, and listed, or was rolled back.
    found_.looked_to = std::max(found_.looked_to, state_.counter);
  }

  /// Without what was not looked at: a number is `open` or `unread`, never both.
  void read_open() {
    const auto end = state_.open.upper_bound(found_.looked_to);
    for (auto number = state_.open.begin(); number != end; ++number) {
      if (!std::ranges::binary_search(found_.unread, number->first)) found_.open.push_back(number->first);
    }
  }

  void read_due(const LookFor::Due& due) {
    std::size_t count = 0;
    for (auto key = state_.waiting.lower_bound({due.destination, TimePoint::min(), 0});
         key != state_.waiting.end() && key->destination == due.destination; ++key) {
      const ParkedRow& row = state_.parked.at({key->sequence, key->destination});
      if (!row.in_hand_of.empty() && row.in_hand_of == wanted_.owner) continue;
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
  std::size_t bytes_ = 0;
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
