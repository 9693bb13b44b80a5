// The answer at three in the morning: what is broken, since when, how many wait, held by what, what to do.
#include <algorithm>
#include <array>

#include "api/operation.hpp"
#include "api/saga_troubles.hpp"
#include "api/saga_view_json.hpp"
#include "api/troubles.hpp"
#include "api/view_json.hpp"
#include "base/masked_url.hpp"

namespace makegood::api {
namespace {

constexpr std::size_t blocked_max = 1000;
constexpr std::size_t groups_max = 20;
/// What a command means that is told of no other.
const std::vector<std::string> usual_outboxes = {"makegood_outbox"};

Result<OutboxState> read_state(Connections& connections, const std::string& outbox) {
  OutboxView& view = *MAKEGOOD_TRY(connections.view(outbox));
  return OutboxState{.outbox = outbox,
                     .lane = MAKEGOOD_TRY(view.lane()),
                     .backlog = MAKEGOOD_TRY(view.backlog()),
                     .blocked = MAKEGOOD_TRY(view.blocked_keys(blocked_max)),
                     .groups = MAKEGOOD_TRY(view.group_dead({.state = ParkedState::dead}, groups_max)),
                     .sources = connections.registered_sources(outbox).value_or({})};
}

std::vector<LiveAlarm> alarms_of(const ApiContext& here, const std::string& outbox) {
  std::vector<LiveAlarm> alarms = here.alarms ? here.alarms() : std::vector<LiveAlarm>();
  std::erase_if(alarms, [&](const LiveAlarm& alarm) { return alarm.outbox != outbox; });
  return alarms;
}

/// What its relay says, if one runs here, says since when; what this call met is the rest.
std::vector<Trouble> troubles_of_unread(const Error& error, const OutboxState& state, const Advice& advice,
                                        TimePoint now) {
  std::vector<Trouble> troubles = troubles_of(state, advice, now);
  const Trouble met = trouble_of(error, state.outbox, advice);
  if (std::ranges::find(troubles, met.code, &Trouble::code) == troubles.end()) troubles.push_back(met);
  return troubles;
}

std::optional<std::int64_t> age_ms(const std::optional<TimePoint>& since, TimePoint now) {
  if (!since) return std::nullopt;
  return std::max<std::int64_t>(0, (now - *since) / std::chrono::milliseconds(1));
}

void put_figures(Writer& writer, const OutboxState& state, TimePoint now) {
  DestinationBacklog sum;
  for (const DestinationBacklog& one : state.backlog.destinations) {
    sum.under_way_count += one.under_way_count;
    sum.waiting_count += one.waiting_count;
    sum.held_count += one.held_count;
    sum.dead_count += one.dead_count;
    sum.quarantined_count += one.quarantined_count;
  }
  const LaneView& lane = state.lane;
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
  put(writer, "blocked_key_count", state.blocked.size(), "At most 1000.");
  put(writer, "side_lane_count", lane.position.sides.size());
}

struct StatusView {
  std::string version = {};
  std::string store = {};
  bool is_ok = false;
  std::vector<Trouble> troubles = {};
  std::vector<OutboxState> outboxes = {};
  std::vector<SagaCounts> sagas = {};
  TimePoint now = {};
};

void put_status(Writer& writer, const StatusView& status) {
  put(writer, "version", status.version);
  put(writer, "store", status.store, "Its URL without a password.");
  put(writer, "is_ok", status.is_ok, "Nothing critical.");
  put_objects(writer, "troubles", "Trouble", status.troubles, put_trouble, "The worst first.");
  put_objects(writer, "outboxes", "OutboxSummary", status.outboxes,
              [&](Writer& to, const OutboxState& state) { put_figures(to, state, status.now); });
  put_objects(writer, "sagas", "SagaCount", status.sagas, put_saga_count,
              "Executions that run, wait, need somebody or have not ended well.");
}

struct SagasState {
  std::vector<SagaCounts> counts = {};
  std::vector<Trouble> troubles = {};
};

SagasState sagas_unread(const Error& error, const ApiContext& here) {
  return {.troubles = {trouble_of_sagas(error, url_without_password(here.store_url))}};
}

/// A store without tables of sagas has none. One that is away was told of its outboxes.
SagasState read_sagas(Connections& connections) {
  const ApiContext& here = connections.api_context();
  auto sagas = connections.sagas();
  if (!sagas) return tells_of_sagas(sagas.error(), here.store_url) ? sagas_unread(sagas.error(), here) : SagasState();
  auto counts = (*sagas)->counts();
  if (!counts) {
    connections.hang_up();
    return sagas_unread(counts.error(), here);
  }
  std::vector<Trouble> troubles = troubles_of_sagas(*counts);
  return {.counts = *std::move(counts), .troubles = std::move(troubles)};
}

void put_outboxes(Writer& writer, const StatusView& status) {
  put_list(writer, "OutboxSummary", status.outboxes,
           [&](Writer& to, const OutboxState& state) { put_figures(to, state, status.now); });
}

Result<Answer> show_status(const RoutedCall& routed) {
  const ApiContext& here = routed.connections.api_context();
  const TimePoint now = system_clock().now();
  const Advice advice{.store_url = url_without_password(here.store_url),
                      .names_outbox = here.outboxes != usual_outboxes};
  std::vector<OutboxState> states;
  std::vector<Trouble> troubles;
  for (const std::string& outbox : here.outboxes) {
    auto state = read_state(routed.connections, outbox);
    if (!state) {
      routed.connections.hang_up();
      const OutboxState unread{.outbox = outbox, .alarms = alarms_of(here, outbox)};
      std::ranges::move(troubles_of_unread(state.error(), unread, advice, now), std::back_inserter(troubles));
      continue;
    }
    state->alarms = alarms_of(here, outbox);
    std::ranges::move(troubles_of(*state, advice, now), std::back_inserter(troubles));
    states.push_back(*std::move(state));
  }
  SagasState sagas = read_sagas(routed.connections);
  std::ranges::move(sagas.troubles, std::back_inserter(troubles));
  sort_by_weight(troubles);
  const bool is_ok = std::ranges::none_of(
      troubles, [](const Trouble& trouble) { return trouble.weight == Trouble::Weight::critical; });
  return answer_of(StatusView{.version = here.version,
                              .store = masked_url(here.store_url),
                              .is_ok = is_ok,
                              .troubles = std::move(troubles),
                              .outboxes = std::move(states),
                              .sagas = std::move(sagas.counts),
                              .now = now},
                   put_status);
}

Result<Answer> list_outboxes(const RoutedCall& routed) {
  StatusView status{.now = system_clock().now()};
  for (const std::string& outbox : routed.connections.api_context().outboxes) {
    status.outboxes.push_back(MAKEGOOD_TRY(read_state(routed.connections, outbox)));
  }
  return answer_of(status, put_outboxes);
}

constexpr auto about_all = std::to_array<Operation>({
    shows("status", "/api/status", "status", show_status,
          "What is broken, since when, how many wait, held by what, and what to do",
          {200, "Also when something is broken; `is_ok` tells.", "Status", writes<put_status>}),
    shows("list_outboxes", "/api/outboxes", "status", list_outboxes, "All outboxes, in figures",
          {200, "All of them; there is no second page.", "OutboxList", writes<put_outboxes>}),
});

}  // namespace

Operations status_operations() { return about_all; }

}  // namespace makegood::api
