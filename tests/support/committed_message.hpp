// A message as a store would hand it out, from plain texts.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "makegood/message.hpp"

namespace makegood::testing_support {

struct MessageTexts {
  std::string event_id = "event-1";
  std::string tenant_id = "default";
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
  auto message = std::make_shared<Message>();
  message->sequence = sequence;
  const std::vector<std::pair<std::string_view Message::*, const std::string*>> fields = {
      {&Message::event_id, &texts.event_id},
      {&Message::tenant_id, &texts.tenant_id},
      {&Message::topic, &texts.topic},
      {&Message::dispatch_key, &texts.dispatch_key},
      {&Message::content, &texts.content},
      {&Message::content_type, &texts.content_type},
      {&Message::headers, &texts.headers},
      {&Message::envelope_id, &texts.envelope_id},
      {&Message::traceparent, &texts.traceparent},
      {&Message::tracestate, &texts.tracestate},
  };
  for (const auto& [view, text] : fields) message->buffer += *text;
  std::size_t begin = 0;
  for (const auto& [view, text] : fields) {
    (*message).*view = std::string_view(message->buffer).substr(begin, text->size());
    begin += text->size();
  }
  return message;
}

}  // namespace makegood::testing_support
