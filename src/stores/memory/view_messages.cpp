#include <algorithm>
#include <limits>

#include "base/view_filter.hpp"
#include "stores/memory/view.hpp"

namespace makegood::memory {
namespace {

/// The parked deliveries of one message.
template <class Visit>
void for_each_parked(const State& state, const Message& message, Visit visit) {
  const auto end = state.parked.lower_bound({message.sequence + 1, {}});
  for (auto row = state.parked.lower_bound({message.sequence, {}}); row != end; ++row) {
    if (row->first.event_id == message.event_id) visit(row->second);
  }
}

ParkedDigest digest_of(const State& state, const Message& message) {
  ParkedDigest digest;
  for_each_parked(state, message, [&](const ParkedRow& row) { digest.add(row.parked, row.changed_at); });
  return digest;
}

std::optional<TimePoint> published_at(const State& state, Sequence sequence) {
  if (state.turns.empty()) return std::nullopt;
  const auto turn =
      std::ranges::find_if(state.turns, [&](const auto& entry) { return entry.second.settled >= sequence; });
  return (turn == state.turns.end() ? std::prev(turn) : turn)->second.at;
}

MessageSummary summary_of(const State& state, const Standing& standing, const Message& message) {
  MessageSummary summary{.sequence = message.sequence,
                         .event_id = std::string(message.event_id),
                         .tenant_id = std::string(message.tenant_id),
                         .topic = std::string(message.topic),
                         .dispatch_key = std::string(message.dispatch_key),
                         .priority = message.priority,
                         .created_at = message.created_at};
  if (message.available_at != message.created_at) summary.available_at = message.available_at;
  const ParkedDigest parked = digest_of(state, message);
  describe(summary, standing.state_of(head_of(message), parked), parked);
  const bool is_plainly_done = summary.state == MessageState::done && !summary.published_at;
  if (is_plainly_done) summary.published_at = published_at(state, message.sequence);
  return summary;
}

/// The highest message below a number, in the log or kept; null: there is none.
MessagePtr next_below(const State& state, Sequence before) {
  const auto kept = state.kept.lower_bound({before});
  const auto row = state.log.lower_bound(before);
  MessagePtr highest = kept == state.kept.begin() ? nullptr : std::prev(kept)->second;
  if (row == state.log.begin()) return highest;
  const MessagePtr& candidate = std::prev(row)->second;
  return !highest || candidate->sequence >= highest->sequence ? candidate : highest;
}

/// The first turn that knew that it was through; only as long as the message is in the log do such turns stay.
std::vector<AttemptNote> delivery_story(const State& state, const MessageHead& head, const std::string& destination) {
  if (!state.log.contains(head.sequence)) return {};
  for (const auto& [number, turn] : state.turns) {
    const Standing then(*turn.position, {});
    if (then.progress_of(head, destination) != Progress::delivered) continue;
    return {{.attempt = 1, .at = turn.at, .outcome = "ok", .owner = turn.owner}};
  }
  return {};
}

DeliveryView routed_delivery(const State& state, const Standing& standing, const MessageHead& head,
                             const std::string& destination) {
  const Progress progress = standing.progress_of(head, destination);
  DeliveryView delivery{.destination = destination, .state = std::string(to_string(progress))};
  delivery.attempts = progress == Progress::pending ? 0 : 1;
  delivery.answered = progress == Progress::delivered ? 1 : 0;
  if (progress == Progress::delivered) delivery.story = delivery_story(state, head, destination);
  return delivery;
}

}  // namespace

MessagePage list_messages(const State& state, const MessageFilter& filter, Sequence before, std::size_t rows_max) {
  const Standing standing = standing_of(state);
  MessagePage page;
  for (std::size_t looked = 0; const MessagePtr message = next_below(state, before); ++looked) {
    if (page.messages.size() >= rows_max || looked >= looked_max) {
      page.next = before;
      break;
    }
    before = message->sequence;
    const bool is_candidate =
        is_wanted(filter, head_of(*message), message->event_id) && is_wanted_time(filter, message->created_at);
    if (!is_candidate) continue;
    MessageSummary summary = summary_of(state, standing, *message);
    if (!filter.state || summary.state == *filter.state) page.messages.push_back(std::move(summary));
  }
  return page;
}

MessageView tell_story(const State& state, const MessagePtr& message) {
  const Standing standing = standing_of(state);
  const MessageHead head = head_of(*message);
  MessageView view{.summary = summary_of(state, standing, *message), .message = message};
  for_each_parked(state, *message,
                  [&](const ParkedRow& row) { view.deliveries.push_back(delivery_view(row.parked, row.story)); });
  for (const std::string& destination : standing.destinations_of(head)) {
    if (state.parked.contains({head.sequence, destination, std::string(message->event_id)})) continue;
    view.deliveries.push_back(routed_delivery(state, standing, head, destination));
  }
  std::ranges::sort(view.deliveries, {}, &DeliveryView::destination);
  for (const auto& [id, row] : state.requests) {
    if (row.asked.sequence == head.sequence) view.requests.push_back(request_view(id, row));
  }
  return view;
}

}  // namespace makegood::memory
