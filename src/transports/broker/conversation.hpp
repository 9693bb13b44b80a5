// One connection's half of the language of a broker, from the greeting on: bytes that come, and bytes to send. It
// neither reads nor writes nor waits: whoever has the connection does.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "makegood/result.hpp"

namespace makegood::broker {

/// What it is (`password`) → its value. Never shown, never kept longer than the greeting needs it.
using Credentials = std::map<std::string, std::string>;

/// It ends with the connection.
class Conversation {
 public:
  Conversation() = default;
  Conversation(const Conversation&) = delete;
  Conversation& operator=(const Conversation&) = delete;
  virtual ~Conversation() = default;

  /// The connection is there: whoever speaks first does.
  virtual void begin() {}
  /// Where a server of a TLS scheme speaks in the clear first, TLS begins when this says so.
  virtual bool wants_tls() const { return true; }
  /// Whether the greeting is over.
  virtual bool is_ready() const = 0;
  /// Reads what is whole at the front of `bytes`. Answers how much that is. An error makes the connection useless.
  virtual Result<std::size_t> receive(std::string_view bytes) = 0;

  std::string& outgoing() { return outgoing_; }

 protected:
  std::string outgoing_;
};

}  // namespace makegood::broker
