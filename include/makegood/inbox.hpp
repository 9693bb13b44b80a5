// The inbox of a consumer: which events it has applied, in the transaction that applies them.
#pragma once

#include <string>
#include <string_view>

#include "makegood/clock.hpp"

namespace makegood {

struct InboxEvent {
  std::string consumer = {};  ///< Who applies it, for example `billing`.
  std::string source = {};    ///< Where it comes from: the same id from two sources is two events.
  std::string tenant_id = "default";
  std::string event_id = {};
  TimePoint event_time = {};  ///< When it was created, as the message says; not when it arrived.
};

enum class Seen {
  fresh,    ///< Apply it.
  repeat,   ///< It was applied before: acknowledge it.
  expired,  ///< Older than what the inbox remembers; nobody knows. Make it a dead letter, never acknowledge it.
};
std::string_view to_string(Seen seen);

}  // namespace makegood
