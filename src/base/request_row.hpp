// From a row of the requests to what was asked.
#pragma once

#include <string>

#include "makegood/spi/outbox_view.hpp"

namespace makegood {

/// The columns from `first` on: kind, sequence, destination, operator, reason, tenant_id, until, document.
template <class Row>
Result<NewRequest> read_asked(const Row& row, int first) {
  const auto kind = request_kind_from(row.text(first));
  if (!kind) {
    return Error{Errc::schema_mismatch, "A request is of a kind that this version does not know; run a newer makegood.",
                 std::string(row.text(first))};
  }
  return NewRequest{.kind = *kind,
                    .sequence = row.integer(first + 1),
                    .destination = std::string(row.text(first + 2)),
                    .operator_name = std::string(row.text(first + 3)),
                    .reason = std::string(row.text(first + 4)),
                    .tenant_id = std::string(row.text(first + 5)),
                    .until = row.integer(first + 6),
                    .document = std::string(row.text(first + 7))};
}

/// A row of list_requests or requests_about.
template <class Row>
Result<RequestView> read_request_view(const Row& row) {
  return RequestView{.id = row.integer(0),
                     .asked = MAKEGOOD_TRY(read_asked(row, 1)),
                     .created_at = row.time(9),
                     .done_at = row.time_or_null(10),
                     .result = std::string(row.text(11))};
}

}  // namespace makegood
