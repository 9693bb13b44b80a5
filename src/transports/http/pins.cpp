#include "transports/http/pins.hpp"

#include <algorithm>

#include "makegood/spi/assert.hpp"

namespace makegood::http {
namespace {

/// Raw topics may name any number of hosts. Forgetting a choice costs a connection, no more.
constexpr std::size_t pins_max = 4096;

}  // namespace

Address Pins::choose(const std::string& host, std::span<const Address> addresses) {
  MAKEGOOD_ASSERT(!addresses.empty());
  if (addresses.size() == 1) return addresses.front();
  if (pins_.size() >= pins_max && !pins_.contains(host)) pins_.clear();
  Pin& pin = pins_[host];
  const auto found = std::ranges::find(addresses, pin.address);
  if (found == addresses.end()) {
    pin = {.address = addresses.front()};
  } else if (pin.has_failed) {
    const auto next = static_cast<std::size_t>(found - addresses.begin() + 1) % addresses.size();
    pin = {.address = addresses[next]};
  }
  return pin.address;
}

void Pins::failed(const std::string& host, const Address& address) {
  const auto found = pins_.find(host);
  if (found != pins_.end() && found->second.address == address) found->second.has_failed = true;
}

}  // namespace makegood::http
