#include "bench/broker/relay.hpp"

#include "makegood/spi/assert.hpp"
#include "makegood/spi/registry.hpp"

namespace makegood::bench {

BrokerRelay::BrokerRelay(const Scratch& scratch, const Broker& broker, Observer& observer, Destination others)
    : transport_(broker.transport()) {
  auto store = open_store(scratch.url(), "makegood_outbox");
  MAKEGOOD_ASSERT(store.has_value());
  DispatcherOptions options;
  options.destinations.push_back(broker.destination(std::move(others)));
  options.routes.push_back({.pattern = "bench.*", .destination = options.destinations.front().name});
  dispatcher_ =
      std::make_unique<Dispatcher>(std::move(*store), std::vector{transport_.get()}, std::move(options), &observer);
  dispatcher_->start();
}

}  // namespace makegood::bench
