// A channel of c-ares, in one type. Its callbacks only take notes: nothing of ours may end it while it is at work.
#pragma once

#include <ares.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "makegood/clock.hpp"
#include "makegood/result.hpp"

namespace makegood::net {

/// Each is an address, with a port or without.
Result<> check_dns_servers(const std::vector<std::string>& servers);

class AresChannel {
 public:
  /// `servers` as in HttpOptions::dns_servers; with none, those of the system, with its search list.
  static Result<AresChannel> open(const std::vector<std::string>& servers, ares_sock_state_cb on_socket, void* data);

  void ask(const std::string& host, ares_addrinfo_callback on_answer, void* data);
  void ready(int descriptor, bool read, bool write);
  void timed_out();
  std::optional<Duration> next_timeout() const;

 private:
  struct Destroy {
    void operator()(ares_channeldata* channel) const noexcept { ares_destroy(channel); }
  };
  explicit AresChannel(ares_channel channel) : channel_(channel) {}

  std::unique_ptr<ares_channeldata, Destroy> channel_;
};

}  // namespace makegood::net
