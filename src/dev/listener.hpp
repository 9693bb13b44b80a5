// As much of an HTTP/1.1 server as a test kit needs: each connection has a thread of its own, so that one that is never
// answered holds nobody up.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "base/descriptor.hpp"
#include "dev/request.hpp"
#include "makegood/result.hpp"

namespace makegood::dev {

class Listener {
 public:
  /// Called on any thread.
  using Answerer = std::function<Answer(const Request&)>;

  /// On loopback; port 0 is any that is free. Answers once it was started.
  static Result<std::unique_ptr<Listener>> open(std::uint16_t port);
  ~Listener();
  void start(Answerer answerer);
  std::string url() const;

 private:
  struct Connection {
    Descriptor socket;
    std::jthread thread = {};
    std::atomic<bool> is_over = false;
  };

  Listener(Descriptor listener, std::uint16_t port);
  void run(const std::stop_token& stop);
  void serve(Connection& connection, const std::stop_token& stop);
  bool answer(const Descriptor& socket, const Request& request, const std::stop_token& stop);

  // Constant after start().
  Descriptor listener_;
  const std::uint16_t port_;
  Answerer answerer_;

  std::list<Connection> connections_;  ///< Used by the listener's thread.
  std::jthread thread_;                // Last: it uses the others until it ends.
};

/// The request at the front of these bytes, taken off them; nothing while a part of it is missing.
std::optional<Request> take_request(std::string& bytes);

}  // namespace makegood::dev
