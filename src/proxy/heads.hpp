// What goes over the wire before a body: the head of a request to the upstream, and of an answer to a client.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "proxy/principal.hpp"

namespace makegood::proxy {

struct RequestHead {
  std::string method;
  std::string target;
  Headers headers = {};
  std::string peer = {};  ///< The client's address.
};

struct AnswerHead {
  int status = 0;
  std::string reason = {};
  Headers headers = {};
  std::optional<std::uint64_t> length = {};
};

/// How a body is told to end. A connection that closes ends it too.
struct Framing {
  enum class Kind : std::uint8_t { none, length, chunks };
  Kind kind = Kind::none;
  std::uint64_t length = 0;
};

/// Without what is between two neighbours only (RFC 9110, 7.6.1), and without what tells where a body ends.
Headers end_to_end(const Headers& headers);

/// `is_keyed`: the upstream is asked for an answer without coding, which can be given to anybody again.
std::string request_text(const RequestHead& head, const Framing& framing, bool is_keyed);

struct AnswerFrame {
  Framing framing = {};
  bool is_last = false;  ///< The connection is closed after it.
};
/// `headers` are written as they are.
std::string answer_text(int status, std::string_view reason, const Headers& headers, const AnswerFrame& frame);

std::string chunk_of(std::string_view piece);
inline constexpr std::string_view last_chunk = "0\r\n\r\n";

/// Answers of these have no body, whatever their head says.
bool has_body(int status);

}  // namespace makegood::proxy
