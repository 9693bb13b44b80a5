// The receiving side of the demo: as much of an HTTP/1.1 server as it takes to be called by Makegood and by curl.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/descriptor.hpp"
#include "makegood/result.hpp"

namespace makegood::demo {

struct DemoRequest {
  std::string path;
  std::string key;             ///< `ce-subject`.
  std::string execution = {};  ///< Of a saga, whose step it is.
  std::string body = {};
};

struct DemoAnswer {
  int status = 204;
  std::string text = {};
  bool hangs_up = false;  ///< Without an answer, as somebody does who is down.
};

/// The request at the front of these bytes, and how many of them it takes; nothing while a part of it is missing.
struct DemoParsed {
  DemoRequest request = {};
  std::size_t bytes = 0;
};
DemoParsed parse_demo_request(std::string_view bytes);
std::string to_bytes(const DemoAnswer& answer);

/// One thread; any number of connections on a loopback port that was free.
class DemoReceiver {
 public:
  using Answerer = std::function<DemoAnswer(const DemoRequest&)>;

  /// Listens; answers once it was started. `answerer` is called on the receiver's thread.
  static Result<std::unique_ptr<DemoReceiver>> open(Answerer answerer);
  void start();
  std::string url() const;

 private:
  struct Connection {
    Descriptor socket;
    std::string unread = {};
  };

  DemoReceiver(Descriptor listener, std::uint16_t port, Answerer answerer);
  void run(const std::stop_token& stop);
  void accept_one();
  /// False: it is over.
  bool read(Connection& connection);
  bool answer_all(Connection& connection);

  Descriptor listener_;
  std::uint16_t port_;
  Answerer answerer_;
  std::vector<Connection> connections_;
  std::jthread thread_;  // Last: it must end before what it uses.
};

/// A socket that listens on this loopback port, 0 for any; invalid if it is taken.
Descriptor listen_on_loopback(std::uint16_t port);
std::uint16_t port_of(const Descriptor& listener);

}  // namespace makegood::demo
