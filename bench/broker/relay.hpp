// A relay to one broker, as a program would build it.
#pragma once

#include <memory>

#include "bench/broker/broker.hpp"
#include "bench/scratch.hpp"
#include "makegood/dispatcher.hpp"

namespace makegood::bench {

/// Runs from its construction on.
class BrokerRelay {
 public:
  BrokerRelay(const Scratch& scratch, const Broker& broker, Observer& observer, Destination others = {});
  void wake() { dispatcher_->wake(); }
  void stop() { dispatcher_->stop(std::chrono::seconds(25)); }

 private:
  std::unique_ptr<Transport> transport_;
  std::unique_ptr<Dispatcher> dispatcher_;
};

}  // namespace makegood::bench
