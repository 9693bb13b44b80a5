// What a loop keeps about one destination.
#pragma once

#include <cstddef>
#include <deque>
#include <limits>
#include <memory>

#include "makegood/delivery.hpp"
#include "makegood/spi/transport.hpp"
#include "transports/http/loop_share.hpp"
#include "transports/http/target.hpp"
#include "transports/net/per_destination.hpp"

namespace makegood::http {

/// A delivery that was handed over, and whom to tell.
struct Sending {
  Delivery delivery;
  Completions* done = nullptr;
  MonotonicTime deadline;
};

struct Channel {
  Result<TargetPtr> target;
  std::weak_ptr<const Destination> destination;
  std::size_t under_way_max = std::numeric_limits<std::size_t>::max();
  std::size_t under_way = 0;
  std::deque<Sending> waiting = {};  ///< For a place; in the order of their deadlines, since all have the same timeout.
};

class Channels {
 public:
  Channels(const HttpOptions& options, const Guard& guard, LoopShare share)
      : options_(options), guard_(guard), share_(share) {}
  Channel& of(const DestinationPtr& destination);

 private:
  Result<TargetPtr> checked_target(const Destination& destination) const;

  const HttpOptions& options_;
  const Guard& guard_;
  const LoopShare share_;
  net::PerDestination<Channel> channels_;
};

}  // namespace makegood::http
