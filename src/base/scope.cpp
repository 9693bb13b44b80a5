#include "base/texts.hpp"
#include "makegood/observe.hpp"
#include "makegood/spi/position.hpp"

namespace makegood {
namespace {

constexpr Texts<SideLane::Why, SideLane::Why::disabled> reasons{"paused", "broken", "crowded", "history", "disabled"};
constexpr Texts<LaneNews::Kind, LaneNews::Kind::disabled> news_kinds{
    "side lane opened", "side lane merged",   "replay of history ended", "circuit opened",      "circuit closed",
    "routes changed",   "suspect sent alone", "suspect is dead",         "destination disabled"};

}  // namespace

bool contains(const Scope& scope, std::string_view tenant_id, std::string_view dispatch_key, int priority) {
  if (!scope.tenant_id.empty() && scope.tenant_id != tenant_id) return false;
  if (!scope.dispatch_key.empty() && scope.dispatch_key != dispatch_key) return false;
  return !scope.priority || (dispatch_key.empty() && *scope.priority == priority);
}

bool is_inside(const Scope& inner, const Scope& outer) {
  return inner.destination == outer.destination && (outer.tenant_id.empty() || outer.tenant_id == inner.tenant_id) &&
         (outer.dispatch_key.empty() || outer.dispatch_key == inner.dispatch_key) &&
         (!outer.priority || outer.priority == inner.priority);
}

std::string to_string(const Scope& scope) {
  std::string text = scope.destination;
  if (!scope.tenant_id.empty()) text += " tenant=" + scope.tenant_id;
  if (!scope.dispatch_key.empty()) text += " key=" + scope.dispatch_key;
  if (scope.priority) text += " priority=" + std::to_string(*scope.priority);
  return text;
}

std::string_view to_string(SideLane::Why why) { return reasons.of(why); }

std::string_view to_string(LaneNews::Kind kind) { return news_kinds.of(kind); }

}  // namespace makegood
