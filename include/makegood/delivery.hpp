// A delivery is a message on its way to one destination; an outcome is what came of one attempt at it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "makegood/destination.hpp"
#include "makegood/message.hpp"

namespace makegood {

/// Names one attempt within its lane. An answer to a ticket that the lane no longer knows is dropped.
using Ticket = std::uint64_t;

/// What a transport is asked to send, and what a handler receives.
struct Delivery {
  MessagePtr message;
  DestinationPtr destination;
  std::string_view outbox;    ///< The table it came from; outlives the delivery.
  std::uint32_t attempt = 1;  ///< Counted before the send.
  Ticket ticket = 0;
  std::string_view incarnation = {};  ///< Of the database: numbers of two incarnations cannot be compared. Outlives it.
};

/// How one attempt ended. `code` is a stable text, ours (`TX.TIMEOUT`) or the handler's (`INSUFFICIENT_FUNDS`).
struct Outcome {
  enum class Kind : std::uint8_t { ok, retry, fail, gone };

  static Outcome ok() { return {}; }
  /// Try again later.
  static Outcome retry(std::string code, std::string detail = {}) {
    return {Kind::retry, std::move(code), std::move(detail)};
  }
  /// Never try again: it becomes a dead letter.
  static Outcome fail(std::string code, std::string detail = {}) {
    return {Kind::fail, std::move(code), std::move(detail)};
  }

  /// The destination says that it wants nothing any more: it is disabled, and what was for it waits.
  static Outcome gone(std::string code, std::string detail = {}) {
    return {Kind::gone, std::move(code), std::move(detail)};
  }

  Kind kind = Kind::ok;
  std::string code = {};
  std::string detail = {};    ///< For operators; cut to 2 KiB of valid UTF-8 before it is stored. Never a payload.
  Duration retry_after = {};  ///< Of a retry: the destination asked for nothing before this has passed; 0: it did not.
};

struct Completion {
  Ticket ticket = 0;
  Outcome outcome = {};
};

}  // namespace makegood
