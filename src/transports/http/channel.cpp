#include "transports/http/channel.hpp"

namespace makegood::http {

Channel& Channels::of(const DestinationPtr& destination) {
  return channels_.of(destination, [this](const DestinationPtr& to) {
    return Channel{.target = checked_target(*to), .destination = to, .under_way_max = under_way_max(*to, share_)};
  });
}

/// A URL of its own is checked once; one that comes with a topic, each time.
Result<TargetPtr> Channels::checked_target(const Destination& destination) const {
  TargetPtr target = MAKEGOOD_TRY(make_target(destination, options_));
  if (target->url != nullptr) MAKEGOOD_TRY(check(guard_, *target->url, target->trust));
  return target;
}

}  // namespace makegood::http
