// The signals that end a daemon, as something to wait for beside everything else.
#pragma once

#include "base/descriptor.hpp"
#include "makegood/result.hpp"

namespace makegood::daemon {

class EndSignals {
 public:
  /// SIGTERM and SIGINT no longer end the process by themselves: process 1 of a container ignores what it does not
  /// handle. Call it before the first thread.
  static Result<EndSignals> open();

  int descriptor() const { return signals_.number(); }
  /// Which one has come, or 0; never waits. As process 1 it also buries the children that others have left behind.
  int take();

 private:
  Descriptor signals_;
};

}  // namespace makegood::daemon
