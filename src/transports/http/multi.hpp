// libcurl's multi interface on the poller of its loop.
#pragma once

#include <cstddef>
#include <optional>

#include "transports/http/curl_handles.hpp"
#include "transports/http/net.hpp"
#include "transports/net/poller.hpp"

namespace makegood::http {

class Transfer;

struct Ended {
  Transfer* transfer = nullptr;
  CURLcode code = CURLE_OK;
};

class Multi {
 public:
  Multi(Poller& poller, std::size_t connections_max);
  Multi(const Multi&) = delete;
  Multi& operator=(const Multi&) = delete;

  void add(Transfer& transfer);
  void remove(Transfer& transfer);

  void ready(const Ready& ready);
  std::optional<Duration> next_timeout() const;
  void run_due();
  /// One that has ended and is still to be removed.
  std::optional<Ended> next_ended();

 private:
  static int on_socket(CURL* easy, curl_socket_t socket, int what, void* multi, void* known);
  static int on_timer(CURLM* handle, long milliseconds, void* multi);

  Poller& poller_;
  MultiHandle handle_;
  std::optional<MonotonicTime> due_at_;
};

}  // namespace makegood::http
