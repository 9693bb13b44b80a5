// From a row of the parked deliveries to a Parked, and where such a row belongs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "makegood/spi/store.hpp"

namespace makegood {

/// How many columns a parked delivery takes; what a statement adds comes after them.
inline constexpr int parked_columns = 15;

/// The first columns of `row`.
template <class Row>
Result<Parked> read_parked(const Row& row) {
  const auto state = parked_state_from(row.text(4));
  if (!state) {
    return Error{Errc::store_corrupt, "A parked delivery has a state that is not known.", std::string(row.text(4))};
  }
  return Parked{
      .sequence = row.integer(0),
      .destination = std::string(row.text(1)),
      .tenant_id = std::string(row.text(2)),
      .dispatch_key = std::string(row.text(3)),
      .state = *state,
      .blocks = row.boolean(5),
      .attempts = static_cast<std::uint32_t>(row.integer(6)),
      .answered = static_cast<std::uint32_t>(row.integer(12)),
      .deaths = static_cast<std::uint32_t>(row.integer(11)),
      .due_at = row.time(7),
      .under_way = !row.is_null(8),
      .error_code = std::string(row.text(9)),
      .last_error = std::string(row.text(10)),
      .event_id = std::string(row.text(13)),
      .replay = row.integer(14),
  };
}

/// Keys hash into 64 slots, so that several lanes can share a log later. Stored, so it must never change.
int slot_of(std::string_view tenant_id, std::string_view dispatch_key);

}  // namespace makegood
