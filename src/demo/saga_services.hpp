// Three services of the demo that a saga runs over: orders, stock and payments. They remember nothing, so what they say
// is all that they do; examples/sagas has services that keep what they promise.
#pragma once

#include <optional>
#include <string>

#include "demo/receiver.hpp"
#include "demo/teller.hpp"

namespace makegood::demo {

class DemoSagaServices {
 public:
  explicit DemoSagaServices(DemoTeller& teller) : teller_(teller) {}

  /// Nothing: the request is for somebody else. Called by one thread.
  std::optional<DemoAnswer> answer(const DemoRequest& request);

  /// The destinations and the saga, as `makegood apply` takes them, to go on from the other destinations.
  static std::string destinations(const std::string& receiver);
  static std::string saga();

 private:
  DemoAnswer ended(const DemoRequest& request);

  DemoTeller& teller_;
  int told_ = 0;
};

}  // namespace makegood::demo
