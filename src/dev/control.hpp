// What a test says to the test kit, under /dev; every other path is a fake participant or endpoint.
#pragma once

#include <functional>
#include <string>

#include "dev/answers.hpp"
#include "dev/callbacks.hpp"
#include "makegood/clock.hpp"

namespace makegood::dev {

class Control {
 public:
  /// Moves the clock of the process ahead, and tells everybody who waits.
  using Advance = std::function<void(Duration)>;
  explicit Control(Advance advance) : advance_(std::move(advance)) {}

  /// Thread-safe.
  Answer answer(const Request& request);

 private:
  Answer control(const Request& request);
  Answer fake(const Request& request);
  Answer advance(const Request& request);
  Answer calls(const Request& request) const;

  const Advance advance_;
  Answers answers_;
  Callbacks callbacks_;
};

}  // namespace makegood::dev
