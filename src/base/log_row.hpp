// From a row of the log to a Message: for every store whose rows can be asked for text, blob, integer and time.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "base/standing.hpp"
#include "makegood/message.hpp"

namespace makegood {

/// The columns of statements that read whole messages; those that pass over them have the ones up to the priority, and
/// those that list them the ones up to the event.
enum LogColumn : int {
  sequence_column,
  tenant_id_column,
  topic_column,
  dispatch_key_column,
  priority_column,
  event_id_column,
  payload_column,
  body_column,
  content_type_column,
  headers_column,
  envelope_id_column,
  traceparent_column,
  tracestate_column,
  created_at_column,
  available_at_column,
  expires_at_column,
};

/// A text of a message, and where it is now.
struct MessageText {
  std::string_view Message::* field;
  std::string_view source;
};
/// A message with these texts, in one block with it.
std::shared_ptr<Message> new_message(std::span<const MessageText> texts);
std::string_view default_content_type(bool is_json);

/// The columns up to the priority. Views live as long as those of the row.
template <class Row>
MessageHead read_message_head(const Row& row) {
  return {.sequence = row.integer(sequence_column),
          .tenant_id = row.text(tenant_id_column),
          .topic = row.text(topic_column),
          .dispatch_key = row.text(dispatch_key_column),
          .priority = static_cast<int>(row.integer(priority_column))};
}

/// One allocation, whatever the message holds.
template <class Row>
MessagePtr read_message(const Row& row) {
  const std::string_view payload = row.text(payload_column);
  const bool is_json = payload.data() != nullptr;
  const MessageText texts[] = {{&Message::event_id, row.text(event_id_column)},
                               {&Message::tenant_id, row.text(tenant_id_column)},
                               {&Message::topic, row.text(topic_column)},
                               {&Message::dispatch_key, row.text(dispatch_key_column)},
                               {&Message::content, is_json ? payload : row.blob(body_column)},
                               {&Message::content_type, row.text(content_type_column)},
                               {&Message::headers, row.text(headers_column)},
                               {&Message::envelope_id, row.text(envelope_id_column)},
                               {&Message::traceparent, row.text(traceparent_column)},
                               {&Message::tracestate, row.text(tracestate_column)}};
  auto message = new_message(texts);
  message->is_json = is_json;
  if (message->content_type.empty()) message->content_type = default_content_type(is_json);
  message->sequence = row.integer(sequence_column);
  message->priority = static_cast<int>(row.integer(priority_column));
  message->created_at = row.time(created_at_column);
  message->available_at = row.time_or_null(available_at_column).value_or(message->created_at);
  message->expires_at = row.time_or_null(expires_at_column);
  return message;
}

}  // namespace makegood
