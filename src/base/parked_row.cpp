#include "base/parked_row.hpp"

namespace makegood {

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

}  // namespace makegood
