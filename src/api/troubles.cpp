#include "api/troubles.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>
#include <tuple>

#include "api/health.hpp"
#include "api/view_json.hpp"

namespace makegood::api {
namespace {

using enum Trouble::Weight;

/// Who waits longer than this is not being served.
constexpr Duration waiting_max = std::chrono::minutes(1);
constexpr std::size_t groups_told_max = 5;

class TroubleFinder {
 public:
  TroubleFinder(const OutboxState& state, const Advice& advice, TimePoint now)
      : state_(state), advice_(advice), now_(now) {}

  std::vector<Trouble> find() {
    owner();
    counter();
    routes();
    for (const std::string& destination : troubled_destinations()) health(destination);
    oldest();
    blocked();
    for (const DeadGroup& group : state_.groups | std::views::take(groups_told_max)) dead(group);
    return std::move(found_);
  }

 private:
  std::string command(std::string_view verb) const {
    return advice_.names_outbox ? fmt::format("makegood {} --outbox {}", verb, state_.outbox)
                                : fmt::format("makegood {}", verb);
  }

  void add(Trouble trouble) {
    trouble.outbox = state_.outbox;
    found_.push_back(std::move(trouble));
  }

  void owner() {
    const LaneView& lane = state_.lane;
    if (state_.backlog.pending_count == 0 || is_owned(lane, now_)) return;
    const bool was_taken = !lane.owner.empty();
    add({.weight = critical,
         .what = was_taken ? "Nobody owns the outbox: its messages are not sent."
                           : "Nobody has ever owned the outbox: its messages are not sent.",
         .since = was_taken ? std::optional(lane.lease_until) : state_.backlog.oldest_pending_at,
         .count = state_.backlog.pending_count,
         .held_by = "no owner",
         .advice = fmt::format("makegood serve --store {}", advice_.store_url)});
  }

  void counter() {
    if (state_.lane.counter >= state_.lane.position.reached) return;
    add({.weight = critical,
         .what = "The store's counter is behind the position: nothing is sent.",
         .since = state_.lane.at,
         .held_by = "the counter",
         .advice = command("outbox rewind --reason restored")});
  }

  bool is_without_routes() const {
    return std::ranges::all_of(state_.lane.routings, [](const Routing& routing) { return routing.routes.empty(); });
  }

  void routes() {
    if (state_.backlog.pending_count == 0 || !is_owned(state_.lane, now_) || !is_without_routes()) return;
    add({.weight = critical,
         .what = "There is no route yet: messages wait for the first.",
         .since = state_.backlog.oldest_pending_at,
         .count = state_.backlog.pending_count,
         .held_by = "the missing route",
         .advice = command("destinations add NAME --url URL --route '*'")});
  }

  std::vector<std::string> troubled_destinations() const {
    std::vector<std::string> names;
    names.reserve(state_.lane.position.sides.size() + state_.lane.position.failing.size());
    for (const SideLane& side : state_.lane.position.sides) names.push_back(side.scope.destination);
    for (const auto& [name, failing] : state_.lane.position.failing) names.push_back(name);
    std::ranges::sort(names);
    const auto doubled = std::ranges::unique(names);
    names.erase(doubled.begin(), doubled.end());
    return names;
  }

  void health(const std::string& destination) {
    const Health health = health_of(state_.lane, destination);
    Trouble trouble{.what = {}, .since = health.failing_since, .destination = destination, .advice = {}};
    trouble.count = static_cast<std::size_t>(health.lag);
    switch (health.state) {
      case Health::State::up:
        return;
      case Health::State::failing:
        trouble.what = fmt::format("{} has failed {} without one success.", destination,
                                   health.failures == 1 ? "once" : fmt::format("{} times", health.failures));
        trouble.count = waiting_at(destination);
        trouble.advice = command("destinations test " + destination);
        break;
      case Health::State::broken:
        trouble.weight = critical;
        trouble.what = fmt::format("The circuit of {} is open.", destination);
        trouble.held_by = "its circuit";
        trouble.advice = command("destinations test " + destination);
        break;
      case Health::State::paused:
        trouble.what = fmt::format("{} is paused.", destination);
        trouble.held_by = "an operator";
        trouble.advice = command("destinations enable " + destination);
        break;
      case Health::State::disabled:
        trouble.weight = critical;
        trouble.what = health.because.empty() ? fmt::format("{} is disabled.", destination)
                                              : fmt::format("{} is disabled: {}.", destination, health.because);
        trouble.held_by = "its own answers";
        trouble.advice = command("destinations enable " + destination);
        break;
    }
    add(std::move(trouble));
  }

  std::size_t waiting_at(const std::string& destination) const {
    const auto& backlogs = state_.backlog.destinations;
    const auto found = std::ranges::find(backlogs, destination, &DestinationBacklog::destination);
    return found == backlogs.end() ? 0 : found->waiting_count + found->held_count;
  }

  void oldest() {
    const auto& since = state_.backlog.oldest_pending_at;
    if (!since || now_ - *since < waiting_max || !is_owned(state_.lane, now_) || is_without_routes()) return;
    add({.what = "Messages wait longer than a minute to be read.",
         .since = since,
         .count = state_.backlog.pending_count,
         .held_by = "the lane, which is behind",
         .advice = command("outbox show")});
  }

  void blocked() {
    if (state_.blocked.empty()) return;
    std::size_t waiting = 0;
    for (const BlockedKey& key : state_.blocked) waiting += key.waiting_count;
    const std::size_t keys = state_.blocked.size();
    add({.what = fmt::format("{} message{} wait{} behind {} blocked key{}.", waiting, waiting == 1 ? "" : "s",
                             waiting == 1 ? "s" : "", keys, keys == 1 ? "" : "s"),
         .count = keys,
         .held_by = "the failed message at the head of each key",
         .advice = command("outbox blocked")});
  }

  void dead(const DeadGroup& group) {
    const bool has_no_route = group.destination == unrouted;
    const std::string_view plural = group.count == 1 ? "" : "s";
    const std::string what =
        has_no_route ? fmt::format("{} message{} of topic '{}' had no route.", group.count, plural, group.topic)
                     : fmt::format("{} dead letter{} of topic '{}' at {}: {}.", group.count, plural, group.topic,
                                   group.destination, group.error_code);
    const std::string verb =
        has_no_route ? "outbox routes"
                     : fmt::format("dead list --destination {} --code {}", group.destination, group.error_code);
    add({.what = what,
         .since = group.first_at,
         .count = group.count,
         .destination = has_no_route ? std::string() : group.destination,
         .advice = command(verb)});
  }

  const OutboxState& state_;
  const Advice& advice_;
  TimePoint now_;
  std::vector<Trouble> found_;
};

}  // namespace

std::vector<Trouble> troubles_of(const OutboxState& state, const Advice& advice, TimePoint now) {
  return TroubleFinder(state, advice, now).find();
}

Trouble trouble_of(const Error& error, const std::string& outbox, const Advice& advice) {
  std::string verb = "doctor";
  if (error.code == Errc::schema_mismatch) verb = "migrate";
  if (error.code == Errc::store_foreign) verb = "adopt";
  const std::string command = fmt::format("makegood {} --store {}", verb, advice.store_url);
  return {.weight = critical, .what = error.message, .outbox = outbox, .held_by = "the store", .advice = command};
}

void sort_by_weight(std::vector<Trouble>& troubles) {
  std::ranges::stable_sort(troubles, {}, [](const Trouble& trouble) {
    return std::tuple(trouble.weight, trouble.since.value_or(TimePoint::max()));
  });
}

void put_trouble(Writer& writer, const Trouble& trouble) {
  writer.StartObject();
  put(writer, "severity", trouble.weight == critical ? "critical" : "warning");
  put(writer, "what", trouble.what);
  put(writer, "since", trouble.since);
  put(writer, "count", trouble.count);
  put_or_null(writer, "outbox", trouble.outbox);
  put_or_null(writer, "destination", trouble.destination);
  put_or_null(writer, "held_by", trouble.held_by);
  put(writer, "advice", trouble.advice);
  writer.EndObject();
}

}  // namespace makegood::api
