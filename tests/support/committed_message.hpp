// A message as a store would hand it out, from plain texts.
#pragma once

#include <array>
#include <string>

#include "base/log_row.hpp"
#include "makegood/message.hpp"

namespace makegood::testing_support {

struct MessageTexts {
  std::string event_id = "event-1";
  std::string tenant_id = std::string(default_tenant_id);
  std::string topic = "order.created";
  std::string dispatch_key = {};
  std::string content = "{}";
  std::string content_type = "application/json";
  std::string headers = {};
  std::string envelope_id = {};
  std::string traceparent = {};
  std::string tracestate = {};
  bool operator==(const MessageTexts&) const = default;
};

inline MessageTexts texts_of(const Message& message) {
  return {.event_id = std::string(message.event_id),
          .tenant_id = std::string(message.tenant_id),
          .topic = std::string(message.topic),
          .dispatch_key = std::string(message.dispatch_key),
          .content = std::string(message.content),
          .content_type = std::string(message.content_type),
          .headers = std::string(message.headers),
          .envelope_id = std::string(message.envelope_id),
          .traceparent = std::string(message.traceparent),
          .tracestate = std::string(message.tracestate)};
}

inline MessagePtr committed_message(const MessageTexts& texts, Sequence sequence = 1) {
  auto message = new_message(std::to_array<MessageText>({{&Message::event_id, texts.event_id},
                                                         {&Message::tenant_id, texts.tenant_id},
                                                         {&Message::topic, texts.topic},
                                                         {&Message::dispatch_key, texts.dispatch_key},
                                                         {&Message::content, texts.content},
                                                         {&Message::content_type, texts.content_type},
                                                         {&Message::headers, texts.headers},
                                                         {&Message::envelope_id, texts.envelope_id},
                                                         {&Message::traceparent, texts.traceparent},
                                                         {&Message::tracestate, texts.tracestate}}));
  message->sequence = sequence;
  return message;
}

}  // namespace makegood::testing_support
