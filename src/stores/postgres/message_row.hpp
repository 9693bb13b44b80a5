// From a row of the log to a Message.
#pragma once

#include "base/standing.hpp"
#include "makegood/message.hpp"
#include "stores/postgres/rows.hpp"

namespace makegood::postgres {

/// The columns of look_beyond, look_numbers, read_messages and read_kept; scan_beyond has those up to the priority.
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

/// The columns up to the priority. Views live as long as the Rows.
MessageHead read_message_head(const Rows& row);
/// Two allocations, whatever the message holds.
MessagePtr read_message(const Rows& row);

}  // namespace makegood::postgres
