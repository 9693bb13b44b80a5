#include "transports/net/ares_addresses.hpp"

#include <algorithm>
#include <optional>
#include <set>

namespace makegood::net {

std::vector<Address> AresAddresses::list() const {
  std::vector<Address> addresses;
  std::set<std::array<std::uint8_t, 16>> seen[2];
  for (const ares_addrinfo_node* node = found_ ? found_->nodes : nullptr; node != nullptr; node = node->ai_next) {
    const std::optional<Address> address = address_of(*node->ai_addr);
    if (address && seen[address->is_v6].insert(address->bytes).second) addresses.push_back(*address);
  }
  std::ranges::stable_partition(addresses, [](const Address& address) { return !address.is_v6; });
  return addresses;
}

Duration AresAddresses::time_to_live() const {
  std::optional<int> shortest;
  const auto add = [&](int seconds) { shortest = std::min(shortest.value_or(seconds), seconds); };
  for (const ares_addrinfo_node* node = found_ ? found_->nodes : nullptr; node != nullptr; node = node->ai_next) {
    add(node->ai_ttl);
  }
  for (const ares_addrinfo_cname* name = found_ ? found_->cnames : nullptr; name != nullptr; name = name->next) {
    add(name->ttl);
  }
  return std::chrono::seconds(shortest.value_or(0));
}

}  // namespace makegood::net
