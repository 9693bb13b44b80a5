// When the log is not the one that the last turn has left: the lane says so again and again, and an operator may have
// it read again from below.
#include <algorithm>
#include <chrono>

#include "core/lane_cancel.hpp"
#include "core/lane_log.hpp"
#include "core/lane_position.hpp"
#include "core/mutant.hpp"
#include "core/request_answer.hpp"

namespace makegood::core {
namespace {

/// Who asks whether all is well hears of it in time.
constexpr Duration stopped_interval = std::chrono::seconds(1);
constexpr Duration stopped_record_within = std::chrono::milliseconds(10);

void drop_above(std::vector<Sequence>& numbers, Sequence last) {
  std::erase_if(numbers, [last](Sequence number) { return number > last; });
}

/// The same lanes, each as if it had read up to `reached` at most.
Position rewound(Position position, Sequence reached) {
  position.reached = reached;
  position.open = up_to(position.open, reached);
  for (auto& [destination, numbers] : position.cancelled) numbers = up_to(numbers, reached);
  std::erase_if(position.cancelled, [](const auto& marks) { return marks.second.empty(); });
  for (auto& [destination, numbers] : position.under_way) drop_above(numbers, reached);
  std::erase_if(position.under_way, [](const auto& hole) { return hole.second.empty(); });
  std::erase_if(position.sides, [](const SideLane& side) { return side.why == SideLane::Why::history; });
  for (SideLane& side : position.sides) {
    side.reached = std::min(side.reached, reached);
    drop_above(side.under_way, reached);
  }
  for (auto& [destination, suspects] : position.suspects) {
    std::erase_if(suspects, [reached](const auto& suspect) { return suspect.first > reached; });
  }
  std::erase_if(position.suspects, [](const auto& suspects) { return suspects.second.empty(); });
  if (position.alone && position.alone->sequence > reached) position.alone.reset();
  return position;
}

/// Versions that counted from numbers beyond say nothing about the messages that have these numbers now.
void lead_by_newest(OwnedLane& lane, Sequence reached) {
  if (lane.registry.routings().is_empty()) return;
  const std::int64_t version =
      lane.draft->routing ? lane.draft->routing->version : lane.registry.routings().newest().version + 1;
  lane.draft->routing = lane.registry.routings().newest();
  lane.draft->routing->version = version;
  lane.draft->routing->from = reached;
}

}  // namespace

void watch_log(OwnedLane& lane, const Found& found) {
  lane.is_turn_needed = lane.log.watch(found);
  if (lane.log.is_stopped()) lane.reports.alarm(error_of(lane.log.trouble()));
}

MonotonicTime next_stopped_exchange(const OwnedLane& lane, MonotonicTime now) {
  const MonotonicTime next = std::min(lane.ownership.renewal_at(), lane.lasting.looked_at + stopped_interval);
  return std::max(now, lane.answers.empty() ? next : std::min(next, lane.lasting.looked_at + stopped_record_within));
}

std::string rewind(OwnedLane& lane, const Request& request) {
  const Sequence first = request.asked.sequence;
  if (!lane.log.is_stopped()) return refused("the log is as it was left; to deliver again, ask for a replay");
  if (first > lane.lasting.counter + 1) return refused("the counter has not come as far as that");
  const Sequence counter = lane.lasting.counter;
  const Sequence lowest = lane.log.first_row() > 0 ? std::min(lane.log.first_row() - 1, counter) : counter;
  Position position = rewound(position_of(lane), first > 0 ? first - 1 : lowest);
  if (first == 0) {
    // Nothing that is there lies below. Whoever has drawn a number below and not committed yet is waited for.
    position.cancelled.clear();
    position.under_way.clear();
    position.suspects.clear();
    position.alone.reset();
    for (SideLane& side : position.sides) side.under_way.clear();
    position.open = {};
    if (lowest > 0) position.open.append({1, lowest});
  }
  if (is_mutant("rewind_to_the_counter")) position = rewound(position_of(lane), counter);
  Cancelled put_away(std::move(position.cancelled));
  for (const Parked& row : request.rows) {
    if (row.sequence > position.reached) put_away.mark(row.sequence, row.destination);
  }
  position.cancelled = put_away.marks();
  lead_by_newest(lane, position.reached);
  lane.draft->is_rewind = !is_mutant("rewind_leaves_parked");
  lane.rewound = std::move(position);
  lane.log.rewind(counter);
  lane.is_giving_up = true;
  return std::string(done);
}

}  // namespace makegood::core
