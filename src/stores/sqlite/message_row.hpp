// From a row of the log to a Message.
#pragma once

#include "base/standing.hpp"
#include "makegood/message.hpp"
#include "stores/sqlite/statement.hpp"

namespace makegood::sqlite {

/// The columns of read_number, read_beyond and read_kept; pass_beyond has those up to the priority, scan_messages and
/// read_head those up to the event.
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

/// The columns up to the priority. Views live until the next step.
MessageHead read_message_head(const Rows& row);
/// Not for a row of pass_beyond. Two allocations, whatever the message holds.
MessagePtr read_message(const Rows& row);

}  // namespace makegood::sqlite
