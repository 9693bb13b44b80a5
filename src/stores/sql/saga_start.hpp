// A start as the row of the log that it is.
#pragma once

#include "makegood/id.hpp"
#include "makegood/message.hpp"
#include "makegood/saga_builder.hpp"

namespace makegood::relational {

inline NewMessage start_row(const SagaStart& start) {
  const SagaStartOptions& options = start.options;
  return {.topic = start.definition,
          .payload = start.input,
          .event_id = options.id.empty() ? process_ids().new_uuid7() : options.id,
          .tenant_id = options.tenant_id,
          .dispatch_key = options.key,
          .available_at = options.start_at};
}

}  // namespace makegood::relational
