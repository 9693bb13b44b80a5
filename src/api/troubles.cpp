#include "api/troubles.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>
#include <tuple>

#include "api/health.hpp"
#include "api/shell_word.hpp"
#include "api/view_json.hpp"

namespace makegood::api {
namespace {

using enum Trouble::Weight;

/// Who waits longer than this is not being served.
constexpr Duration waiting_max = std::chrono::minutes(1);
constexpr std::size_t groups_told_max = 5;

/// ` --outbox NAME`, where a command would otherwise mean another one.
std::string outbox_flag(const std::string& outbox, const Advice& advice) {
  return advice.names_outbox ? " --outbox " + shell_word(outbox) : std::string();
}

/// The command to run when a relay or a reader has failed with this code.
std::string way_out_of(Errc code, const std::string& outbox, const Advice& advice) {
  const std::string flag = outbox_flag(outbox, advice);
  const std::string store = " --store " + shell_word(advice.store_url);
  if (code == Errc::counter_behind) return "makegood outbox rewind --reason restored" + flag;
  if (code == Errc::schema_mismatch) return "makegood migrate" + store + flag;
  // A whole store is adopted; which outbox is in it is a setting.
  if (code == Errc::store_foreign) {
    return "makegood adopt" + store +
           (advice.names_outbox ? " --set store.outboxes=" + shell_word(outbox) : std::string());
  }
  return "makegood doctor" + store + flag;
}

class TroubleFinder {
 public:
  TroubleFinder(const OutboxState& state, const Advice& advice, TimePoint now)
      : state_(state), advice_(advice), now_(now) {}

  std::vector<Trouble> find() {
    for (const LiveAlarm& alarm : state_.alarms) live(alarm);
    owner();
    counter();
    altered_counter();
    routes();
    for (const std::string& destination : troubled_destinations()) health(destination);
    for (const SideLane& side : state_.lane.position.sides) paused_tenant(side);
    oldest();
    blocked();
    for (const SourceRow& source : state_.sources) source_trouble(source);
    for (const DeadGroup& group : state_.groups | std::views::take(groups_told_max)) dead(group);
    return std::move(found_);
  }

 private:
  std::string command(std::string_view verb) const {
    return fmt::format("makegood {}{}", verb, outbox_flag(state_.outbox, advice_));
  }

  void add(Trouble trouble) {
    trouble.outbox = state_.outbox;
    found_.push_back(std::move(trouble));
  }

  void live(const LiveAlarm& alarm) {
    // The store says it too, with the way out.
    if (state_.lane.stopped != LogTrouble::none && error_of(state_.lane.stopped).code == alarm.error.code) return;
    Trouble trouble = trouble_of(alarm.error, state_.outbox, advice_);
    trouble.weight = alarm.stops_lane ? critical : warning;
    trouble.since = alarm.since;
    if (alarm.stops_lane) trouble.count = state_.backlog.pending_count;
    add(std::move(trouble));
  }

  /// Then its relay has said why nothing moves.
  bool is_stopped() const {
    return state_.lane.stopped != LogTrouble::none || std::ranges::any_of(state_.alarms, &LiveAlarm::stops_lane);
  }
  bool has_alarm(Errc code) const {
    return std::ranges::any_of(state_.alarms, [&](const LiveAlarm& alarm) { return alarm.error.code == code; });
  }

  void owner() {
    const LaneView& lane = state_.lane;
    if (state_.backlog.pending_count == 0 || is_owned(lane, now_) || is_stopped()) return;
    const bool was_taken = !lane.owner.empty();
    add({.weight = critical,
         .what = was_taken ? "Nobody owns the outbox: its messages are not sent."
                           : "Nobody has ever owned the outbox: its messages are not sent.",
         .since = was_taken ? std::optional(lane.lease_until) : state_.backlog.oldest_pending_at,
         .count = state_.backlog.pending_count,
         .held_by = "no owner",
         .advice = fmt::format("makegood serve --store {}{}", shell_word(advice_.store_url),
                               outbox_flag(state_.outbox, advice_))});
  }

  void source_trouble(const SourceRow& source) {
    if (source.code.empty() || source.is_paused) return;
    add({.weight = source.code == source_gone_code ? critical : warning,
         .code = source.code,
         .what = fmt::format("The source {} is not read: {}", source.name, source.trouble),
         .since = source.trouble_at,
         .held_by = "its broker",
         .advice = command("sources show " + shell_word(source.name))});
  }

  void counter() {
    if (state_.lane.stopped != LogTrouble::none) return stopped();
    const bool is_behind = state_.lane.counter < state_.lane.position.reached;
    if (!is_behind) return foreign_number();
    if (has_alarm(Errc::counter_behind)) return;
    add({.weight = critical,
         .what = "The store's counter is behind the position: nothing is sent.",
         .since = state_.lane.at,
         .held_by = "the counter",
         .advice = command("outbox rewind --reason restored")});
  }

  /// A running relay says it itself.
  void foreign_number() {
    const Error why = error_of(LogTrouble::foreign_number);
    if (state_.lane.highest <= state_.lane.counter || has_alarm(why.code)) return;
    Trouble trouble = trouble_of(why, state_.outbox, advice_);
    trouble.count = state_.backlog.pending_count;
    add(std::move(trouble));
  }

  void altered_counter() {
    if (!state_.lane.is_counter_altered) return;
    add({.what = "The log's sequence was altered or restarted: make sure that no number was drawn twice.",
         .advice = fmt::format("makegood doctor --store {}{}", shell_word(advice_.store_url),
                               outbox_flag(state_.outbox, advice_))});
  }

  void stopped() {
    const Error why = error_of(state_.lane.stopped);
    add({.weight = critical,
         .code = std::string(to_string(why.code)),
         .what = why.message,
         .since = state_.lane.at,
         .held_by = "the log",
         .advice = command(state_.lane.stopped == LogTrouble::sequence_changed ? "outbox go-on --reason mended"
                                                                               : "outbox rewind --reason restored")});
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
    Trouble trouble{.what = {}, .since = health.since, .destination = destination, .advice = {}};
    trouble.count = static_cast<std::size_t>(health.lag);
    switch (health.state) {
      case Health::State::up:
        return;
      case Health::State::failing:
        trouble.what = fmt::format("{} fails: no delivery to it has succeeded since.", destination);
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
        trouble.what = by_whom(fmt::format("{} is paused", destination), health.because);
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

  static std::string by_whom(std::string_view what, const std::string& because) {
    return because.empty() ? fmt::format("{}.", what) : fmt::format("{} by {}.", what, because);
  }

  /// A tenant at a destination; its other scopes are told as the destination's health.
  void paused_tenant(const SideLane& side) {
    const Scope& scope = side.scope;
    if (!side.is_paused || scope.tenant_id.empty()) return;
    const std::string what = fmt::format("{} is paused for tenant {}", scope.destination, scope.tenant_id);
    add({.what = by_whom(what, side.because),
         .since = side.since == TimePoint{} ? std::nullopt : std::optional(side.since),
         .destination = scope.destination,
         .held_by = "an operator",
         .advice =
             command(fmt::format("outbox resume {} --tenant {}", scope.destination, shell_word(scope.tenant_id)))});
  }

  std::size_t waiting_at(const std::string& destination) const {
    const auto& backlogs = state_.backlog.destinations;
    const auto found = std::ranges::find(backlogs, destination, &DestinationBacklog::destination);
    return found == backlogs.end() ? 0 : found->waiting_count + found->held_count;
  }

  void oldest() {
    const auto& since = state_.backlog.oldest_pending_at;
    if (!since || now_ - *since < waiting_max || !is_owned(state_.lane, now_) || is_without_routes()) return;
    if (is_stopped()) return;
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
    const std::string blocked = fmt::format("{} blocked key{}", keys, keys == 1 ? "" : "s");
    add({.what = waiting == 0 ? fmt::format("There {} {}; nothing waits behind {} yet.", keys == 1 ? "is" : "are",
                                            blocked, keys == 1 ? "it" : "them")
                              : fmt::format("{} message{} wait{} behind {}.", waiting, waiting == 1 ? "" : "s",
                                            waiting == 1 ? "s" : "", blocked),
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
    const std::string verb = has_no_route ? "outbox routes"
                                          : fmt::format("dead list --destination {} --code {}", group.destination,
                                                        shell_word(group.error_code));
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
  return {.weight = critical,
          .code = std::string(to_string(error.code)),
          .what = error.message,
          .outbox = outbox,
          .held_by = "the store",
          .advice = way_out_of(error.code, outbox, advice)};
}

void sort_by_weight(std::vector<Trouble>& troubles) {
  std::ranges::stable_sort(troubles, {}, [](const Trouble& trouble) {
    return std::tuple(trouble.weight, trouble.since.value_or(TimePoint::max()));
  });
}

void put_trouble(Writer& writer, const Trouble& trouble) {
  put_one_of(writer, "severity", trouble.weight == critical ? "critical" : "warning", {"critical", "warning"});
  put_or_null(writer, "code", trouble.code,
              "Of what the relay of this process suffers from now, and of a store that cannot be read.");
  put(writer, "what", trouble.what);
  put(writer, "since", trouble.since);
  put(writer, "count", trouble.count, "How many it concerns.");
  put_or_null(writer, "outbox", trouble.outbox);
  put_or_null(writer, "destination", trouble.destination);
  put_or_null(writer, "held_by", trouble.held_by);
  put(writer, "advice", trouble.advice, "The command to run.");
}

}  // namespace makegood::api
