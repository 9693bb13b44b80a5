#include "makegood/events.hpp"

#include <utility>

#include "base/json.hpp"

namespace makegood {
namespace {

/// A destination's events come in order.
NewMessage event_about(std::string_view topic, std::string_view destination, const rapidjson::StringBuffer& text) {
  return {.topic = std::string(topic),
          .payload = {text.GetString(), text.GetSize()},
          .dispatch_key = std::string(destination)};
}

}  // namespace

NewMessage anchor_row(std::string event_id) {
  return {.topic = std::string(anchor_topic), .payload = "{}", .event_id = std::move(event_id)};
}

NewMessage delivery_died_event(const DeliveryDied& died) {
  rapidjson::StringBuffer text;
  json::Writer writer(text);
  writer.StartObject();
  json::write(writer, "outbox", died.outbox);
  json::write(writer, "sequence", died.message.sequence);
  json::write(writer, "event_id", died.message.event_id);
  json::write(writer, "tenant_id", died.message.tenant_id);
  json::write(writer, "topic", died.message.topic);
  json::write(writer, "dispatch_key", died.message.dispatch_key);
  json::write(writer, "destination", died.destination);
  json::write(writer, "attempts", std::int64_t{died.attempts});
  json::write(writer, "code", died.code);
  json::write(writer, "error", died.error);
  writer.EndObject();
  NewMessage event = event_about(delivery_died_topic, died.destination, text);
  event.tenant_id = died.message.tenant_id;
  event.traceparent = died.message.traceparent;
  event.tracestate = died.message.tracestate;
  return event;
}

NewMessage destination_disabled_event(const DestinationDisabled& disabled) {
  rapidjson::StringBuffer text;
  json::Writer writer(text);
  writer.StartObject();
  json::write(writer, "outbox", disabled.outbox);
  json::write(writer, "destination", std::string_view(disabled.destination.name));
  json::write(writer, "because", disabled.because);
  writer.EndObject();
  NewMessage event = event_about(destination_disabled_topic, disabled.destination.name, text);
  if (!disabled.destination.tenant_id.empty()) event.tenant_id = disabled.destination.tenant_id;
  return event;
}

}  // namespace makegood
