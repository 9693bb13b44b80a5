// Tells systemd how the process is, if it asked for that. A datagram, so that no library is needed.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/descriptor.hpp"
#include "makegood/clock.hpp"

namespace makegood::daemon {

class ServiceNotice {
 public:
  /// By NOTIFY_SOCKET and WATCHDOG_USEC; without them it is silent.
  static ServiceNotice from_environment();

  void ready(std::string_view status) const { send("READY=1\nSTATUS=" + std::string(status)); }
  void status(std::string_view status) const { send("STATUS=" + std::string(status)); }
  void stopping() const { send("STOPPING=1\nSTATUS=stopping"); }
  void alive() const { send("WATCHDOG=1"); }

  /// Within which time a sign of life is expected; nothing: nobody waits for one.
  std::optional<Duration> watchdog_time() const { return watchdog_time_; }

 private:
  void send(const std::string& text) const;

  Descriptor socket_;
  std::string address_;  ///< Empty: nobody listens.
  std::optional<Duration> watchdog_time_;
};

}  // namespace makegood::daemon
