#include "stores/postgres/message_row.hpp"

#include <array>

namespace makegood::postgres {
namespace {

/// A text of the message, and where it is now: in the result.
struct Text {
  std::string_view* target;
  std::string_view source;
};

std::string_view default_type(bool is_json) { return is_json ? "application/json" : "application/octet-stream"; }

/// Copies the texts into the message's one buffer.
template <std::size_t Count>
void own(Message& message, const std::array<Text, Count>& texts) {
  std::size_t bytes = 0;
  for (const Text& text : texts) bytes += text.source.size();
  message.buffer.reserve(bytes);
  for (const Text& text : texts) {
    if (text.source.empty()) continue;
    const std::size_t at = message.buffer.size();
    message.buffer.append(text.source);
    *text.target = {message.buffer.data() + at, text.source.size()};
  }
}

}  // namespace

MessageHead read_message_head(const Rows& row) {
  return {.sequence = row.integer(sequence_column),
          .tenant_id = row.text(tenant_id_column),
          .topic = row.text(topic_column),
          .dispatch_key = row.text(dispatch_key_column),
          .priority = static_cast<int>(row.integer(priority_column))};
}

MessagePtr read_message(const Rows& row) {
  auto message = std::make_shared<Message>();
  Message& m = *message;
  const std::string_view payload = row.text(payload_column);
  m.is_json = payload.data() != nullptr;
  own(m, std::array<Text, 10>{{
             {&m.event_id, row.text(event_id_column)},
             {&m.tenant_id, row.text(tenant_id_column)},
             {&m.topic, row.text(topic_column)},
             {&m.dispatch_key, row.text(dispatch_key_column)},
             {&m.content, m.is_json ? payload : row.text(body_column)},
             {&m.content_type, row.text(content_type_column)},
             {&m.headers, row.text(headers_column)},
             {&m.envelope_id, row.text(envelope_id_column)},
             {&m.traceparent, row.text(traceparent_column)},
             {&m.tracestate, row.text(tracestate_column)},
         }});
  if (m.content_type.empty()) m.content_type = default_type(m.is_json);
  m.sequence = row.integer(sequence_column);
  m.priority = static_cast<int>(row.integer(priority_column));
  m.created_at = row.time(created_at_column);
  m.available_at = row.time_or_null(available_at_column).value_or(m.created_at);
  m.expires_at = row.time_or_null(expires_at_column);
  return message;
}

}  // namespace makegood::postgres
