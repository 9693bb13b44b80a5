// What a loop keeps about each destination.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <unordered_map>
#include <utility>

#include "makegood/destination.hpp"

namespace makegood::net {

/// One channel per destination object: a changed destination is another object. A channel has a weak pointer
/// `destination` to it; whatever is under way or waits there holds the destination, so a channel without one is idle.
template <class Channel>
class PerDestination {
 public:
  /// The one of this destination, made by `make(destination)` when it is new. It stays where it is.
  template <class Make>
  Channel& of(const DestinationPtr& destination, Make make) {
    const auto found = channels_.find(destination.get());
    if (found != channels_.end()) {
      if (is_same(found->second.destination, destination)) return found->second;
      channels_.erase(found);  // The address of one that is gone may be that of a new one.
    }
    if (channels_.size() >= sweep_at_) drop_orphans();
    return channels_.emplace(destination.get(), make(destination)).first->second;
  }
  template <class Visit>
  void for_each(Visit visit) {
    for (auto& [destination, channel] : channels_) visit(channel);
  }

 private:
  static bool is_same(const std::weak_ptr<const Destination>& known, const DestinationPtr& destination) {
    return !known.owner_before(destination) && !destination.owner_before(known);
  }
  /// Swept when their number has doubled, so that a look-up stays cheap.
  void drop_orphans() {
    std::erase_if(channels_, [](const auto& entry) { return entry.second.destination.expired(); });
    sweep_at_ = std::max<std::size_t>(64, channels_.size() * 2);
  }

  std::unordered_map<const Destination*, Channel> channels_;
  std::size_t sweep_at_ = 64;
};

}  // namespace makegood::net
