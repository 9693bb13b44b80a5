#include "bench/http/relay.hpp"

#include "makegood/spi/assert.hpp"
#include "makegood/spi/registry.hpp"

namespace makegood::bench {
namespace {

DispatcherOptions options_for(const std::vector<Line>& lines) {
  DispatcherOptions options;
  for (const Line& line : lines) {
    const std::string name = std::to_string(options.destinations.size());
    auto destination = http_destination(name, {.url = line.url}, {.in_flight_max = line.in_flight_max});
    MAKEGOOD_ASSERT(destination.has_value());
    options.routes.push_back({.pattern = line.topic, .destination = destination->name});
    options.destinations.push_back(std::move(*destination));
  }
  return options;
}

}  // namespace

Relay::Relay(const Scratch& scratch, const std::vector<Line>& lines, Observer& observer, std::size_t threads) {
  auto transport = new_http_transport({.threads = threads});
  MAKEGOOD_ASSERT(transport.has_value());
  transport_ = std::move(*transport);
  auto store = open_store(scratch.url(), "makegood_outbox");
  MAKEGOOD_ASSERT(store.has_value());
  dispatcher_ =
      std::make_unique<Dispatcher>(std::move(*store), std::vector{transport_.get()}, options_for(lines), &observer);
  dispatcher_->start();
}

}  // namespace makegood::bench
