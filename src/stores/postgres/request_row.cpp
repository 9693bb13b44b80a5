#include "stores/postgres/request_row.hpp"

namespace makegood::postgres {

Result<NewRequest> read_asked(const Rows& row, int first) {
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

Result<RequestView> read_request_view(const Rows& row) {
  RequestView view{.id = row.integer(0),
                   .asked = MAKEGOOD_TRY(read_asked(row, 1)),
                   .created_at = row.time(9),
                   .result = std::string(row.text(11))};
  view.done_at = row.time_or_null(10);
  return view;
}

}  // namespace makegood::postgres
