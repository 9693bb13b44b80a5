#include "api/asking.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "api/fields.hpp"
#include "api/json_out.hpp"
#include "base/nearest.hpp"

namespace makegood::api {
namespace {

constexpr Duration first_patience = std::chrono::milliseconds(1);
constexpr Duration patience_max = std::chrono::milliseconds(25);

/// Empty when there is no answer in time.
Result<std::optional<std::string>> await_answer(OutboxView& view, std::int64_t request, Duration limit) {
  const MonotonicTime end = system_clock().monotonic() + limit;
  Duration patience = first_patience;
  while (true) {
    auto answer = MAKEGOOD_TRY(view.answer_to(request));
    if (answer || system_clock().monotonic() >= end) return answer;
    std::this_thread::sleep_for(patience);
    patience = std::min(patience * 2, patience_max);
  }
}

/// Every destination that a kept version of the routes names, or that has a side lane.
std::vector<std::string> destinations_of(const LaneView& lane) {
  std::vector<std::string> names;
  for (const Routing& routing : lane.routings) {
    for (const Destination& destination : routing.destinations) names.push_back(destination.name);
    for (const Route& route : routing.routes) names.push_back(route.destination);
  }
  for (const SideLane& side : lane.position.sides) names.push_back(side.scope.destination);
  std::ranges::sort(names);
  const auto doubled = std::ranges::unique(names);
  names.erase(doubled.begin(), doubled.end());
  return names;
}

}  // namespace

std::optional<std::string> refusal(std::string_view result) {
  if (result == "done") return std::nullopt;
  constexpr std::string_view refused = "refused: ";
  if (result.starts_with(refused)) result.remove_prefix(refused.size());
  return fmt::format("The owner of the outbox refused it: {}.", without_stop(result));
}

std::string operator_of(const Call& call) { return call.operator_name.empty() ? "anonymous" : call.operator_name; }

Result<Asked> ask(const RoutedCall& routed, NewRequest request) {
  request.operator_name = operator_of(routed.call);
  OutboxView& view = *MAKEGOOD_TRY(routed.connections.view(routed.outbox()));
  const std::int64_t id = MAKEGOOD_TRY(view.request(request));
  const auto answer = MAKEGOOD_TRY(await_answer(view, id, routed.connections.api_context().answer_wait));
  if (!answer) return Asked{.request = id};
  if (auto why = refusal(*answer)) return Error{Errc::conflict, *std::move(why)};
  return Asked{.request = id, .is_done = true};
}

Result<Answer> ask_and_tell(const RoutedCall& routed, NewRequest request) {
  const Asked asked = MAKEGOOD_TRY(ask(routed, std::move(request)));
  return answer_of(asked, put_asked, asked.is_done ? 200 : 202);
}

Answer nothing_to_do() { return answer_of(Asked{.is_done = true}, put_asked); }

void put_asked(Writer& writer, const Asked& asked) {
  put(writer, "request", asked.request, "Null: there was nothing to do.");
  put_one_of(writer, "result", asked.is_done ? "done" : "open", {"done", "open"});
}

std::string reason_in(Fields& fields) { return fields.text("reason", reason_rule); }

Result<std::string> reason_of(const Call& call) { return read_body(call, reason_in); }

Error no_such_destination(const std::string& name, const std::vector<std::string>& known) {
  constexpr std::ptrdiff_t told_max = 20;
  const auto end = std::next(known.begin(), std::min(told_max, std::ssize(known)));
  std::string hint = fmt::format("There are: {}.", fmt::join(known.begin(), end, ", "));
  if (known.empty()) hint = "None is registered.";
  if (const std::string meant = nearest(name, known, ':'); !meant.empty()) hint = fmt::format("Is it {}?", meant);
  return {Errc::not_found, fmt::format("There is no destination '{}'. {}", shown(name), hint)};
}

Result<> check_destination(const LaneView& lane, const std::string& name) {
  const std::vector<std::string> known = destinations_of(lane);
  if (known.empty() || std::ranges::find(known, name) != known.end()) return {};
  return no_such_destination(name, known);
}

Result<> refuse_query(const Call& call) {
  Mistakes mistakes;
  Fields::of_query(call.query, mistakes).refuse_the_rest();
  if (!mistakes.empty()) return mistakes.as_error("The query");
  return {};
}

}  // namespace makegood::api
