// What Makegood itself has to tell: messages on topics `makegood.*`, in the same log, routed like any other. One is
// written only if a route leads it somewhere.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "makegood/destination.hpp"
#include "makegood/message.hpp"

namespace makegood {

inline constexpr std::string_view delivery_died_topic = "makegood.delivery.dead";
inline constexpr std::string_view destination_disabled_topic = "makegood.destination.disabled";

/// An empty row, written by the owner of a lane so that the log always holds one that was read. It is routed nowhere.
inline constexpr std::string_view anchor_topic = "makegood.anchor";
NewMessage anchor_row(std::string event_id);

/// No event is written about the fate of an event.
constexpr bool is_event_topic(std::string_view topic) { return topic.starts_with("makegood."); }

struct DeliveryDied {
  std::string_view outbox;
  const Message& message;
  std::string_view destination;
  std::uint32_t attempts = 0;
  std::string_view code;
  std::string_view error = {};
};
/// Of the message's own tenant and trace. {"outbox":…,"sequence":…,"event_id":…,"tenant_id":…,"topic":…,
/// "dispatch_key":…,"destination":…,"attempts":…,"code":…,"error":…}; the payload is not in it.
NewMessage delivery_died_event(const DeliveryDied& died);

struct DestinationDisabled {
  std::string_view outbox;
  const Destination& destination;
  std::string_view because;
};
/// {"outbox":…,"destination":…,"because":…}
NewMessage destination_disabled_event(const DestinationDisabled& disabled);

}  // namespace makegood
