#include <utility>

#include "makegood/observe.hpp"
#include "makegood/position.hpp"

namespace makegood {

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

std::string_view to_string(SideLane::Why why) {
  switch (why) {
    case SideLane::Why::paused:
      return "paused";
    case SideLane::Why::broken:
      return "broken";
    case SideLane::Why::crowded:
      return "crowded";
    case SideLane::Why::history:
      return "history";
    case SideLane::Why::disabled:
      return "disabled";
  }
  std::unreachable();
}

std::string_view to_string(LaneNews::Kind kind) {
  switch (kind) {
    case LaneNews::Kind::side_opened:
      return "side lane opened";
    case LaneNews::Kind::side_merged:
      return "side lane merged";
    case LaneNews::Kind::side_ended:
      return "replay of history ended";
    case LaneNews::Kind::circuit_opened:
      return "circuit opened";
    case LaneNews::Kind::circuit_closed:
      return "circuit closed";
    case LaneNews::Kind::routes_changed:
      return "routes changed";
    case LaneNews::Kind::suspect_alone:
      return "suspect sent alone";
    case LaneNews::Kind::suspect_died:
      return "suspect is dead";
    case LaneNews::Kind::disabled:
      return "destination disabled";
  }
  std::unreachable();
}

}  // namespace makegood
