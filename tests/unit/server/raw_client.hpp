// A client that can be as rude as a test needs it.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "base/descriptor.hpp"

namespace makegood::server {

struct RawAnswer {
  int status = 0;  ///< 0: the connection was closed without one.
  std::string head = {};
  std::string body = {};
};

class RawClient {
 public:
  /// `127.0.0.1:PORT`. Every read waits for some seconds at most. What the kernel takes in before it is read can be
  /// bounded.
  explicit RawClient(const std::string& address, int buffered_bytes_max = 0);

  /// Over a Unix socket.
  static RawClient at_path(const std::string& path);

  void send(std::string_view bytes) const;
  RawAnswer read_answer();
  /// Up to this text, or to the end.
  std::string read_until(std::string_view text);
  /// True when the other side has closed; what came before is dropped.
  bool is_closed();

  /// One whole exchange.
  RawAnswer ask(std::string_view method, std::string_view target, std::string_view body = {},
                std::string_view headers = {});

 private:
  explicit RawClient(Descriptor socket) : socket_(std::move(socket)) {}
  bool read_more();
  Descriptor socket_;
  std::string buffer_;
};

}  // namespace makegood::server
