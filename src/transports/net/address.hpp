// An IP address, and what kind of network it lies in.
#pragma once

#include <sys/socket.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace makegood::net {

/// IPv4 and IPv6 alike, as 16 bytes; an IPv4 address is kept as what it is, not as a mapped one.
struct Address {
  std::array<std::uint8_t, 16> bytes = {};
  bool is_v6 = false;
  bool operator==(const Address&) const = default;
};

std::optional<Address> parse_address(std::string_view text);  ///< Only the canonical dotted or colon form.
std::optional<Address> address_of(const sockaddr& socket_address);
std::string to_string(const Address& address);

enum class Network : std::uint8_t {
  open,       ///< A public address.
  enclosed,   ///< Private, loopback, shared (CGNAT), unique local: a participant of the operator may live there.
  forbidden,  ///< Link-local, metadata services, multicast, unspecified, reserved, and whatever hides another address.
};
/// An address that carries another one (mapped, 6to4, Teredo) is forbidden, except a public one in the well-known
/// prefix of NAT64. So is every IPv6 address that IANA has not given out yet.
Network network_of(const Address& address);

/// `10.20.0.0/16`, `fd00::/8`.
struct AddressBlock {
  Address first;
  unsigned bits = 0;
};
std::optional<AddressBlock> parse_block(std::string_view text);
bool contains(const AddressBlock& block, const Address& address);

}  // namespace makegood::net
