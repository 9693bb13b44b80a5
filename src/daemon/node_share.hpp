// How nodes come to own about as many lanes each without anybody who tells them. Decisions only, from what is known.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "makegood/clock.hpp"
#include "makegood/spi/nodes.hpp"

namespace makegood::daemon {

using LaneNames = std::set<std::string, std::less<>>;

/// It owns more than another: what becomes free should rather be taken by that one.
bool lets_others_first(std::string_view node, std::span<const NodeLoad> alive);

/// When this node has a lane to give up, and which.
class NodeShare {
 public:
  explicit NodeShare(std::string node) : node_(std::move(node)) {}

  /// Nothing, unless this node owns two more than another and no other node is to give: the one with the most does, of
  /// several the first by name. And only when it has owned the same for a while, so that what it knows is true.
  std::optional<std::string> lane_to_give(std::span<const NodeLoad> alive, const LaneNames& owned, MonotonicTime now);

 private:
  struct Given {
    MonotonicTime not_before = {};
    unsigned count = 0;
  };
  void notice(std::span<const NodeLoad> alive, const LaneNames& owned, MonotonicTime now);

  std::string node_;
  std::vector<std::string> names_;  ///< Of the nodes that were there the last time.
  LaneNames owned_;
  MonotonicTime owned_since_ = {};
  std::map<std::string, Given, std::less<>> given_;  ///< Since the nodes are these.
};

}  // namespace makegood::daemon
