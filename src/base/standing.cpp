#include "base/standing.hpp"

#include <algorithm>
#include <utility>

#include "base/texts.hpp"

namespace makegood {
namespace {

constexpr Texts<Progress, Progress::delivered> progresses{"pending", "under_way", "delivered"};

bool holds(const std::vector<Sequence>& numbers, Sequence sequence) {
  return std::ranges::binary_search(numbers, sequence);
}

int depth_of(const Scope& scope) {
  return int{!scope.tenant_id.empty()} + int{!scope.dispatch_key.empty()} + int{scope.priority.has_value()};
}

}  // namespace

std::string_view to_string(Progress progress) { return progresses.of(progress); }

MessageHead head_of(const Message& message) {
  return {.sequence = message.sequence,
          .tenant_id = message.tenant_id,
          .topic = message.topic,
          .dispatch_key = message.dispatch_key,
          .priority = message.priority};
}

void ParkedDigest::add(const Parked& row, TimePoint row_changed_at) {
  has_rows = true;
  is_dead = is_dead || row.state == ParkedState::dead;
  is_quarantined = is_quarantined || row.state == ParkedState::quarantined;
  is_under_way = is_under_way || row.under_way;
  is_waiting = is_waiting || row.state == ParkedState::waiting || row.state == ParkedState::held;
  attempts = std::max(attempts, row.attempts);
  changed_at = std::max(changed_at, row_changed_at);
  if (row.state == ParkedState::waiting) due_at = std::max(due_at.value_or(row.due_at), row.due_at);
  // What has arrived has no error any more; its story has them all.
  if (row.state != ParkedState::done) last_error = std::max(last_error, row.last_error);
}

Standing::Standing(Position position, std::vector<Routing> routings)
    : position_(std::move(position)), routings_(std::move(routings)), settled_(makegood::settled(position_)) {
  for (const SideLane& side : position_.sides) {
    if (side.why != SideLane::Why::history) sides_.push_back(&side);
  }
}

/// The very first version stands for what is older, too. When it is gone, nobody knows what was before the oldest.
const Routing* Standing::version_of(Sequence sequence) const {
  const Routing* counts = nullptr;
  for (const Routing& routing : routings_) {
    if (routing.from < sequence || routing.version == 1) counts = &routing;
  }
  return counts;
}

std::vector<std::string> Standing::destinations_of(const MessageHead& head) const {
  std::vector<std::string> destinations;
  const Routing* routing = version_of(head.sequence);
  if (routing == nullptr) return destinations;
  const Tenants tenants = tenants_of(*routing);
  for (const Route& route : routing->routes) {
    const bool leads_there = matches(route.pattern, head.topic) && may_go(tenants, route.destination, head.tenant_id);
    if (leads_there) destinations.push_back(route.destination);
  }
  std::ranges::sort(destinations);
  const auto repeated = std::ranges::unique(destinations);
  destinations.erase(repeated.begin(), repeated.end());
  return destinations;
}

const SideLane* Standing::carrier_of(const MessageHead& head, std::string_view destination) const {
  const SideLane* innermost = nullptr;
  for (const SideLane* side : sides_) {
    if (side->scope.destination != destination) continue;
    if (!contains(side->scope, head.tenant_id, head.dispatch_key, head.priority)) continue;
    if (innermost == nullptr || depth_of(side->scope) > depth_of(innermost->scope)) innermost = side;
  }
  return innermost;
}

bool Standing::is_in_main(Sequence sequence, std::string_view destination) const {
  const auto numbers = position_.under_way.find(destination);
  return numbers != position_.under_way.end() && holds(numbers->second, sequence);
}

bool Standing::is_in_a_side(Sequence sequence, std::string_view destination) const {
  return std::ranges::any_of(sides_, [&](const SideLane* side) {
    return side->scope.destination == destination && holds(side->under_way, sequence);
  });
}

bool Standing::is_under_way(Sequence sequence) const {
  if (sequence <= settled_) return false;
  return std::ranges::any_of(position_.under_way, [&](const auto& entry) { return holds(entry.second, sequence); }) ||
         std::ranges::any_of(sides_, [&](const SideLane* side) { return holds(side->under_way, sequence); });
}

bool Standing::is_open(Sequence sequence) const { return position_.open.contains(sequence); }

Progress Standing::progress_of(const MessageHead& head, std::string_view destination) const {
  if (is_in_main(head.sequence, destination) || is_in_a_side(head.sequence, destination)) return Progress::under_way;
  if (head.sequence > position_.reached || is_open(head.sequence)) return Progress::pending;
  const SideLane* side = carrier_of(head, destination);
  return side != nullptr && head.sequence > side->reached ? Progress::pending : Progress::delivered;
}

/// To one of its destinations, by a side lane that has not come so far.
bool Standing::is_carried_aside(const MessageHead& head) const {
  if (sides_.empty() || head.sequence <= settled_) return false;
  return std::ranges::any_of(destinations_of(head), [&](const std::string& destination) {
    return progress_of(head, destination) == Progress::pending;
  });
}

MessageState Standing::state_of(const MessageHead& head, const ParkedDigest& parked) const {
  if (parked.is_dead) return MessageState::dead;
  if (parked.is_quarantined) return MessageState::quarantined;
  if (parked.is_under_way || is_under_way(head.sequence)) return MessageState::leased;
  const bool is_unread = head.sequence > position_.reached || is_open(head.sequence);
  if (is_unread || parked.is_waiting || is_carried_aside(head)) return MessageState::pending;
  return MessageState::done;
}

void describe(MessageSummary& summary, MessageState state, const ParkedDigest& parked) {
  const bool was_tried = state == MessageState::done || state == MessageState::leased;
  summary.state = state;
  summary.attempts = parked.has_rows ? parked.attempts : std::uint32_t{was_tried};
  summary.last_error = parked.last_error;
  if (parked.due_at) summary.available_at = parked.due_at;
  if (parked.has_rows && state == MessageState::done) summary.published_at = parked.changed_at;
}

DeliveryView delivery_view(const Parked& row, std::vector<AttemptNote> story) {
  DeliveryView view{.destination = row.destination,
                    .state = std::string(row.under_way ? to_string(Progress::under_way) : to_string(row.state)),
                    .attempts = row.attempts,
                    .answered = row.answered,
                    .blocks = row.blocks,
                    .error_code = row.error_code,
                    .last_error = row.last_error,
                    .story = std::move(story)};
  if (row.state == ParkedState::waiting) view.due_at = row.due_at;
  if (row.state == ParkedState::done) {  // What has arrived has no error any more; its story has them all.
    view.error_code.clear();
    view.last_error.clear();
  }
  return view;
}

}  // namespace makegood
