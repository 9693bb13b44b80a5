#include "stores/postgres/parked_row.hpp"

#include <cstdint>

namespace makegood::postgres {

Result<Parked> read_parked(const Rows& row) {
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
      .deaths = static_cast<std::uint32_t>(row.integer(11)),
      .due_at = row.time(7),
      .under_way = !row.is_null(8),
      .error_code = std::string(row.text(9)),
      .last_error = std::string(row.text(10)),
  };
}

int slot_of(std::string_view tenant_id, std::string_view dispatch_key) {
  constexpr std::uint64_t slots = 64;
  // FNV-1a over tenant, a zero byte and key.
  std::uint64_t hash = 14695981039346656037U;
  const auto mix = [&hash](unsigned char byte) { hash = (hash ^ byte) * 1099511628211U; };
  for (const char c : tenant_id) mix(static_cast<unsigned char>(c));
  mix(0);
  for (const char c : dispatch_key) mix(static_cast<unsigned char>(c));
  return static_cast<int>((hash ^ (hash >> 32)) % slots);
}

}  // namespace makegood::postgres
