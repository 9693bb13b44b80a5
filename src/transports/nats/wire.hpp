// What a server of NATS sends: lines, and messages behind one. And how a connection is greeted, whatever it is for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "makegood/result.hpp"
#include "transports/broker/conversation.hpp"

namespace makegood::nats {

inline constexpr std::string_view line_end = "\r\n";
/// The status of an answer that nobody gives.
inline constexpr int no_responders = 503;

/// A whole number, and nothing else; or 0.
std::int64_t number_in(std::string_view digits);

/// As it came to one of our subscriptions. Views of the bytes it was read from.
struct Message {
  std::string_view subject;
  std::string_view reply = {};  ///< Where its sender wants an answer; empty: nowhere.
  std::string_view header = {};
  std::string_view content = {};
};

struct Piece {
  std::string_view line = {};
  std::optional<Message> message = {};  ///< Nothing: it is a line only.
  std::size_t bytes = 0;
};
/// Nothing: it is not whole yet. An error: it is not NATS, or larger than is ever wanted.
Result<std::optional<Piece>> parse_piece(std::string_view bytes, std::size_t message_bytes_max);
Error garbled();

/// `NATS/1.0 503`: the status of a message that the server itself has sent; 0: it has none.
int status_of(std::string_view header);
/// Names and values, as they are written.
std::vector<std::pair<std::string_view, std::string_view>> headers_in(std::string_view header);

class Greeting {
 public:
  Greeting(std::string username, broker::Credentials credentials)
      : username_(std::move(username)), credentials_(std::move(credentials)) {}

  bool has_info() const { return has_info_; }
  bool is_ready() const { return is_ready_; }
  /// The server takes no larger message; 0: it has not said.
  std::size_t content_bytes_max() const { return content_bytes_max_; }
  /// Lines that mean the same to everybody; what is to be said is appended. False: it is an error of the server.
  Result<bool> take_line(std::string_view line, std::string_view inbox, std::string& outgoing);

 private:
  Result<> take_info(std::string_view text, std::string_view inbox, std::string& outgoing);
  Result<std::string> connect_options(std::string_view nonce) const;

  const std::string username_;
  broker::Credentials credentials_;
  bool has_info_ = false;
  bool is_ready_ = false;
  std::size_t content_bytes_max_ = 0;
};

/// A subject below which nobody else gets anything.
std::string new_inbox();

}  // namespace makegood::nats
