// Which events a stream wants, as its query says.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "makegood/result.hpp"

namespace makegood::server {

enum class EventKind : std::uint8_t {
  delivered,
  retried,
  died,
  news,
  ownership,
  alarm,
  saga,
  step,
  source,
  key,
  key_told
};
inline constexpr std::size_t event_kind_count = 11;
std::string_view to_string(EventKind kind);

/// What a filter looks at. What an event has not (an alarm has no topic) is empty.
struct EventSubject {
  EventKind kind = EventKind::news;
  std::string_view outbox = {};
  std::string_view topic = {};  ///< Of a saga: its definition; of an idempotency key: its scope.
  std::string_view tenant = {};
};

/// An empty text means: all.
struct EventFilter {
  std::string outbox = {};
  std::string topic = {};  ///< A pattern, as in a route; but `*` alone means all.
  std::string tenant = {};
  /// What claims were told that changed nothing is for those who ask for it: there can be any number of them.
  std::array<bool, event_kind_count> kinds = {true, true, true, true, true, true, true, true, true, true, false};

  bool wants(const EventSubject& subject) const;
};

/// `outbox=…&topic=order.*&tenant=…&kind=died,alarm`, percent-encoded.
Result<EventFilter> parse_event_filter(std::string_view query);

}  // namespace makegood::server
