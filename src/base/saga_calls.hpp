// What the address of an action says about who does it: a participant that is called, one that gets a message, another
// saga, or the saga itself, which waits.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "makegood/clock.hpp"

namespace makegood {

enum class SagaCallKind {
  participant,  ///< Somebody is called.
  bus,          ///< `bus:topic`: a message of the outbox asks for it, and the answer comes later.
  child,        ///< `saga:name@version`: another saga, as one unit.
  event,        ///< `event:name`: done when somebody tells of it.
  wait,         ///< `wait:24h`: done when that time is over.
};

inline constexpr std::string_view bus_scheme = "bus:";
inline constexpr std::string_view child_scheme = "saga:";
inline constexpr std::string_view event_scheme = "event:";
inline constexpr std::string_view wait_scheme = "wait:";

SagaCallKind saga_call_kind(std::string_view uri);
/// It waits for its event or its time: nothing is sent, done, or undone.
bool is_waiting(std::string_view uri);
/// The topic of the message; empty: none is sent.
std::string_view topic_of(std::string_view uri);
/// Which saga; nothing: it is no child, or the address cannot be read.
struct SagaChild {
  std::string_view name;
  std::int64_t version = 0;
};
std::optional<SagaChild> child_of(std::string_view uri);
/// The name of the event; empty: it is none.
std::string_view event_of(std::string_view uri);
/// How long it waits; nothing: it is no wait, or its time cannot be read.
std::optional<Duration> wait_of(std::string_view uri);

}  // namespace makegood
