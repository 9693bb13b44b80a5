// The answer at three in the morning: what is broken, since when, how many wait, held by what, what to do.
#include <algorithm>

#include "api/handlers.hpp"
#include "api/troubles.hpp"
#include "api/view_json.hpp"
#include "base/masked_url.hpp"

namespace makegood::api {
namespace {

constexpr std::size_t blocked_max = 1000;
constexpr std::size_t groups_max = 20;

Result<OutboxState> read_state(Desk& desk, const std::string& outbox) {
  DeadLetterStore& letters = *MAKEGOOD_TRY(desk.letters(outbox));
  OutboxView& view = *MAKEGOOD_TRY(desk.view(outbox));
  return OutboxState{.outbox = outbox,
                     .lane = MAKEGOOD_TRY(letters.lane()),
                     .backlog = MAKEGOOD_TRY(view.backlog()),
                     .blocked = MAKEGOOD_TRY(letters.blocked_keys(blocked_max)),
                     .groups = MAKEGOOD_TRY(view.group_dead({.state = ParkedState::dead}, groups_max))};
}

/// A store's URL without what is between `//` and `@`.
std::optional<std::int64_t> age_ms(const std::optional<TimePoint>& since, TimePoint now) {
  if (!since) return std::nullopt;
  return std::max<std::int64_t>(0, (now - *since) / std::chrono::milliseconds(1));
}

void put_outbox(Writer& writer, const OutboxState& state, TimePoint now) {
  DestinationBacklog sum;
  for (const DestinationBacklog& one : state.backlog.destinations) {
    sum.under_way_count += one.under_way_count;
    sum.waiting_count += one.waiting_count;
    sum.held_count += one.held_count;
    sum.dead_count += one.dead_count;
    sum.quarantined_count += one.quarantined_count;
  }
  const LaneView& lane = state.lane;
  writer.StartObject();
  put(writer, "outbox", state.outbox);
  put_or_null(writer, "owner", lane.owner);
  put(writer, "owner_at", lane.owner.empty() ? std::nullopt : std::optional(lane.at));
  put(writer, "is_owned", is_owned(lane, now));
  put(writer, "pending_count", state.backlog.pending_count);
  put(writer, "oldest_pending_at", state.backlog.oldest_pending_at);
  put(writer, "oldest_age_ms", age_ms(state.backlog.oldest_pending_at, now));
  put(writer, "under_way_count", sum.under_way_count);
  put(writer, "waiting_count", sum.waiting_count);
  put(writer, "held_count", sum.held_count);
  put(writer, "dead_count", sum.dead_count);
  put(writer, "quarantined_count", sum.quarantined_count);
  put(writer, "blocked_key_count", state.blocked.size());
  put(writer, "side_lane_count", lane.position.sides.size());
  writer.EndObject();
}

}  // namespace

Result<Answer> show_status(const Question& question) {
  const Surroundings& here = question.desk.surroundings();
  const TimePoint now = system_clock().now();
  const Advice advice{.store_url = masked_url(here.store_url), .names_outbox = here.outboxes.size() > 1};
  std::vector<OutboxState> states;
  std::vector<Trouble> troubles;
  for (const std::string& outbox : here.outboxes) {
    auto state = read_state(question.desk, outbox);
    if (!state) {
      question.desk.hang_up();
      troubles.push_back(trouble_of(state.error(), outbox, advice));
      continue;
    }
    std::ranges::move(troubles_of(*state, advice, now), std::back_inserter(troubles));
    states.push_back(*std::move(state));
  }
  sort_by_weight(troubles);
  const bool is_ok = std::ranges::none_of(
      troubles, [](const Trouble& trouble) { return trouble.weight == Trouble::Weight::critical; });
  return object_answer(200, [&](Writer& writer) {
    put(writer, "version", here.version);
    put(writer, "store", advice.store_url);
    put(writer, "is_ok", is_ok);
    put_array(writer, "troubles", troubles, put_trouble);
    put_array(writer, "outboxes", states, [&](Writer& to, const OutboxState& state) { put_outbox(to, state, now); });
  });
}

Result<Answer> list_outboxes(const Question& question) {
  const TimePoint now = system_clock().now();
  std::vector<OutboxState> states;
  for (const std::string& outbox : question.desk.surroundings().outboxes) {
    states.push_back(MAKEGOOD_TRY(read_state(question.desk, outbox)));
  }
  return list_answer(states, {}, [&](Writer& writer, const OutboxState& state) { put_outbox(writer, state, now); });
}

}  // namespace makegood::api
