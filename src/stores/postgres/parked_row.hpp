// From a row of the parked deliveries to a Parked.
#pragma once

#include "makegood/store.hpp"
#include "stores/postgres/rows.hpp"

namespace makegood::postgres {

/// How many columns a parked delivery takes; what a statement adds comes after them.
inline constexpr int parked_columns = 12;

/// The first columns of `row`.
Result<Parked> read_parked(const Rows& row);
/// Keys hash into 64 slots, so that several lanes can share a log later. Stored, so it must never change.
int slot_of(std::string_view tenant_id, std::string_view dispatch_key);

}  // namespace makegood::postgres
