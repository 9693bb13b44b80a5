// A message that an operator does not want to be sent. What has not begun ends here, with a row that says who wanted it
// and why; what is in flight cannot be taken back, and the answer says so.
//
// A message that some lane has still to read is marked in the position until all lanes are past it, for the
// destination or for all: whoever reads it leaves it out.
#include <algorithm>
#include <utility>

#include "core/error_text.hpp"
#include "core/lane_cancel.hpp"
#include "core/lane_read.hpp"
#include "core/lane_requests.hpp"
#include "core/lane_settle.hpp"
#include "core/lane_sides.hpp"
#include "core/mutant.hpp"
#include "core/request_answer.hpp"
#include "makegood/events.hpp"

namespace makegood::core {
namespace {

std::string sentence_about(const NewRequest& asked) {
  return "Cancelled by " + asked.operator_name + (asked.reason.empty() ? "." : ": " + asked.reason);
}

bool is_on_its_way(const Parked& row) { return row.state == ParkedState::waiting || row.state == ParkedState::held; }

const Parked* row_at(const Request& request, std::string_view destination) {
  const auto row = std::ranges::find(request.rows, destination, &Parked::destination);
  return row == request.rows.end() ? nullptr : &*row;
}

void park_cancelled(OwnedLane& lane, Parked row, const Request& request, bool was_counted) {
  const bool may_be_sent = row.attempts > 0 || row.destination != unrouted;
  row.state = ParkedState::quarantined;
  row.blocks = false;
  row.under_way = false;
  row.error_code = to_string(Errc::cancelled);
  row.last_error = storable(sentence_about(request.asked) + (may_be_sent ? " (It may have been sent before.)" : ""));
  AttemptNote note = lane.parked.note_of_failure(row, "cancelled", lane.ownership.store_now);
  lane.parked.park(std::move(row), std::move(note), was_counted);
}

/// What main or a side lane has under way and not in hand, and what a side lane has still to read.
void cancel_unread(OwnedLane& lane, const Request& request) {
  const Message& message = *request.message;
  std::vector<std::string> names = lane.log.take_hole(message.sequence);
  for (const auto& side : lane.sides) {
    if (side->is_history() || side->unread.erase(message.sequence) == 0) continue;
    names.push_back(side->lane.scope.destination);
  }
  for (const DestinationIndex index :
       lane.registry.routings().leading_from(message.topic, message.tenant_id, message.sequence, lane.destinations)) {
    const Side* carrier = lane.sides.carrier(index, message);
    if (carrier != nullptr && carrier->is_beyond(message.sequence)) names.push_back(carrier->lane.scope.destination);
  }
  for (const std::string& name : names) {
    if (lane.cancelled.is_marked(message.sequence, name))
      continue;  // It was asked for twice, and the side lane is not there yet.
    lane.suspects.acquit(lane.destinations.at(name), message.sequence);
    const Parked* before = row_at(request, name);
    park_cancelled(lane, new_row(message, name), request, before != nullptr && counts(*before));
    lane.cancelled.mark(message.sequence, name);
  }
}

/// Answers where it is in flight.
std::vector<std::string> cancel_in_hand(OwnedLane& lane, const Request& request) {
  std::vector<CarriedIndex> unsent;
  std::vector<std::string> in_flight;
  lane.window.each([&](CarriedIndex index, const Carried& carried) {
    if (carried.message->sequence != request.asked.sequence) return;
    if (carried.side != nullptr && carried.side->is_history()) return;  // It was sent before; this is no delivery.
    if (!carried.is_in_flight) return unsent.push_back(index);
    in_flight.push_back(lane.destinations[carried.destination].settings->name);
  });
  for (const CarriedIndex index : unsent) {
    lane.deliveries.take_from_queues(index);
    const Carried& carried = lane.window.at(index);
    Key* key = carried.key;
    Parked row = lane.parked.row_of(carried);
    --row.attempts;  // The one to come.
    park_cancelled(lane, std::move(row), request, carried.is_parked);
    lane.deliveries.end(index);
    if (key != nullptr) pass_on(lane, *key);
  }
  return in_flight;
}

/// One whose attempt was under way when a former owner had the lane can be cancelled: it says that it may have been
/// sent.
void cancel_parked(OwnedLane& lane, const Request& request, const std::vector<std::string>& in_flight) {
  for (const Parked& row : request.rows) {
    const bool is_in_flight = std::ranges::find(in_flight, row.destination) != in_flight.end();
    if (!is_on_its_way(row) || is_in_flight || lane.parked.has(row.sequence, row.destination)) continue;
    park_cancelled(lane, row, request, counts(row));
    let_others_pass(lane, row);
  }
}
}  // namespace

void withdraw_history(OwnedLane& lane, Sequence number) {
  std::vector<CarriedIndex> unsent;
  lane.window.each([&](CarriedIndex index, const Carried& carried) {
    const bool is_history = carried.side != nullptr && carried.side->is_history();
    if (is_history && carried.message->sequence == number && !carried.is_in_flight) unsent.push_back(index);
  });
  for (const CarriedIndex index : unsent) {
    Key* key = lane.window.at(index).key;
    lane.deliveries.take_from_queues(index);
    lane.deliveries.end(index);
    if (key != nullptr) pass_on(lane, *key);
  }
  for (const auto& side : lane.sides) {
    if (side->is_history() && side->unread.erase(number) > 0) lane.suspects.acquit(side->destination, number);
  }
}

std::optional<std::string> cancel_message(OwnedLane& lane, const Request& request) {
  const Sequence number = request.asked.sequence;
  const bool is_there = request.message != nullptr && request.message->topic != anchor_topic;
  if (!is_there) return refused("there is no such message");
  if (lane.parked.has(number)) return std::nullopt;
  if (lane.cancelled.is_marked(number, unrouted)) return refused("it is cancelled already");
  if (lane.cancelled.is_full()) {
    return refused("too many cancelled messages lie ahead of the lane; ask again when it is past some of them");
  }
  const std::size_t before = lane.parked.count();
  if (number > lane.log.reached() || lane.log.open().contains(number)) {
    park_cancelled(lane, new_row(*request.message, unrouted), request, false);
    lane.cancelled.mark(number, unrouted);
  } else {
    cancel_unread(lane, request);
  }
  const std::vector<std::string> in_flight = cancel_in_hand(lane, request);
  cancel_parked(lane, request, in_flight);
  const Parked* whole = row_at(request, unrouted);
  if (whole != nullptr && is_on_its_way(*whole)) withdraw_history(lane, number);
  const bool is_any_cancelled = lane.parked.count() > before;
  if (in_flight.empty() && is_any_cancelled) return std::string(done);
  if (in_flight.empty()) return refused("nothing of it is still to be sent: it was delivered, is dead or was put away");
  return refused("it is being sent to " + in_flight.front() + (in_flight.size() > 1 ? " and others" : "") +
                 " at this moment" + (is_any_cancelled ? ", and was cancelled elsewhere" : "") +
                 "; ask again when that has ended");
}

}  // namespace makegood::core
