#include "transports/http/channel.hpp"

#include <algorithm>
#include <utility>

namespace makegood::http {
namespace {

bool is_same(const std::weak_ptr<const Destination>& known, const DestinationPtr& destination) {
  return !known.owner_before(destination) && !destination.owner_before(known);
}

}  // namespace

Channel& Channels::of(const DestinationPtr& destination) {
  const auto found = channels_.find(destination.get());
  if (found == channels_.end()) return make(destination);
  // The address of one that is gone may be that of a new one.
  if (is_same(found->second.destination, destination)) return found->second;
  channels_.erase(found);
  return make(destination);
}

Channel& Channels::make(const DestinationPtr& destination) {
  if (channels_.size() >= sweep_at_) drop_orphans();
  Channel channel{.target = checked_target(*destination),
                  .destination = destination,
                  .under_way_max = under_way_max(*destination, share_)};
  return channels_.emplace(destination.get(), std::move(channel)).first->second;
}

/// A URL of its own is checked once; one that comes with a topic, each time.
Result<TargetPtr> Channels::checked_target(const Destination& destination) const {
  TargetPtr target = MAKEGOOD_TRY(make_target(destination, options_));
  if (target->url != nullptr) MAKEGOOD_TRY(guard_.check(*target->url, target->trust));
  return target;
}

/// Whatever is under way or waits holds its destination, so an orphan is idle. Swept when their number has doubled, so
/// that a look-up stays cheap.
void Channels::drop_orphans() {
  std::erase_if(channels_, [](const auto& entry) { return entry.second.destination.expired(); });
  sweep_at_ = std::max<std::size_t>(64, channels_.size() * 2);
}

}  // namespace makegood::http
