#include "daemon/node_share.hpp"

#include <algorithm>
#include <utility>

namespace makegood::daemon {
namespace {

/// A bit more than the time between two words of a node.
constexpr Duration settled_after = std::chrono::milliseconds(2500);
/// A lane that came back was wanted by nobody: perhaps the others do not serve this outbox.
constexpr Duration given_again_after = std::chrono::minutes(10);
constexpr unsigned doublings_max = 7;  ///< About a day.

std::size_t lanes_of(std::string_view node, std::span<const NodeLoad> alive) {
  const auto found = std::ranges::find(alive, node, &NodeLoad::node);
  return found != alive.end() ? found->lanes : 0;
}

std::size_t least_of(std::span<const NodeLoad> alive) {
  return alive.empty() ? 0 : std::ranges::min(alive, {}, &NodeLoad::lanes).lanes;
}

bool is_to_give(std::string_view node, std::span<const NodeLoad> alive) {
  const std::size_t mine = lanes_of(node, alive);
  if (mine < least_of(alive) + 2) return false;
  return std::ranges::none_of(
      alive, [&](const NodeLoad& other) { return other.lanes > mine || (other.lanes == mine && other.node < node); });
}

}  // namespace

bool lets_others_first(std::string_view node, std::span<const NodeLoad> alive) {
  return lanes_of(node, alive) > least_of(alive);
}

std::optional<std::string> NodeShare::lane_to_give(std::span<const NodeLoad> alive, const LaneNames& owned,
                                                   MonotonicTime now) {
  notice(alive, owned, now);
  if (now - owned_since_ < settled_after || !is_to_give(node_, alive)) return std::nullopt;
  const auto may_go = [&](const std::string& lane) {
    const auto given = given_.find(lane);
    return given == given_.end() || given->second.not_before <= now;
  };
  const auto lane = std::ranges::find_if(owned, may_go);
  if (lane == owned.end()) return std::nullopt;
  Given& given = given_[*lane];
  given.not_before = now + given_again_after * (1U << std::min(given.count++, doublings_max));
  return *lane;
}

void NodeShare::notice(std::span<const NodeLoad> alive, const LaneNames& owned, MonotonicTime now) {
  std::vector<std::string> names;
  for (const NodeLoad& each : alive) names.push_back(each.node);
  std::ranges::sort(names);
  if (std::exchange(names_, names) != names) given_.clear();
  if (std::exchange(owned_, owned) != owned) owned_since_ = now;
}

}  // namespace makegood::daemon
