// From a row of the requests to what was asked.
#pragma once

#include "makegood/outbox_view.hpp"
#include "stores/postgres/rows.hpp"

namespace makegood::postgres {

/// The columns from `first` on: kind, sequence, destination, operator, reason, tenant_id, until, document.
Result<NewRequest> read_asked(const Rows& row, int first);
/// A row of list_requests or requests_about.
Result<RequestView> read_request_view(const Rows& row);

}  // namespace makegood::postgres
