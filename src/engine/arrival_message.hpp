// What becomes of a message of somebody else's when it is taken in: pure.
#pragma once

#include <string>
#include <string_view>

#include "makegood/message.hpp"
#include "makegood/spi/source.hpp"

namespace makegood {

/// Under this topic stands what could not be taken in as what it is: its bytes, and why. Without a route it is a dead
/// letter.
inline constexpr std::string_view unreadable_topic = "makegood.source.unreadable";

/// What a source says of all its messages.
struct ArrivalRules {
  std::string source;     ///< `kafka:orders`
  std::string topic;      ///< Empty: the message says it, or it is the broker's.
  std::string tenant_id;  ///< Empty: the message says it, or it is the default.
};

/// Names it by the producer's own id, or else by its place, so that it is the same whenever it is read.
Result<NewMessage> message_of(const Arrival& arrival, const ArrivalRules& rules);
/// Whatever it is: its place, its bytes and the reason.
NewMessage unreadable_message(const Arrival& arrival, const ArrivalRules& rules, const Error& why);

}  // namespace makegood
