// One thread with a client, and how others speak to it.
#pragma once

#include <memory>
#include <thread>
#include <vector>

#include "transports/http/client.hpp"
#include "transports/http/inbox.hpp"
#include "transports/http/poller.hpp"

namespace makegood::http {

class Loop {
 public:
  static Result<std::unique_ptr<Loop>> start(const ClientWorld& world);
  ~Loop();
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  /// From any thread.
  void send(std::vector<Delivery> deliveries, Completions& done);
  /// Starts nothing more; what is under way has until then. From any thread.
  void close(MonotonicTime end_at);
  /// Waits for the end, after close. One thread at a time.
  void join();

 private:
  explicit Loop(Poller poller) : poller_(std::move(poller)) {}

  void run();
  void take_inbox();
  bool has_ended();
  std::optional<Duration> patience();

  Poller poller_;
  Inbox inbox_;
  std::unique_ptr<Client> client_;  ///< Of the thread, once it runs.
  std::jthread thread_;
};

}  // namespace makegood::http
