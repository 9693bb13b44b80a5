#include "transports/net/address.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <system_error>

namespace makegood::net {
namespace {

constexpr unsigned bits_of(const Address& address) { return address.is_v6 ? 128 : 32; }

std::optional<Address> parse_as(int family, const std::string& text) {
  Address address{.is_v6 = family == AF_INET6};
  if (::inet_pton(family, text.c_str(), address.bytes.data()) != 1) return std::nullopt;
  return address;
}

bool bit_of(const Address& address, unsigned index) { return address.bytes[index / 8] >> (7 - index % 8) & 1; }

bool is_zero_from(const Address& address, unsigned bits) {
  for (unsigned index = bits; index < bits_of(address); ++index) {
    if (bit_of(address, index)) return false;
  }
  return true;
}

}  // namespace

std::optional<Address> parse_address(std::string_view text) {
  if (text.contains('\0')) return std::nullopt;
  const std::string copy(text);
  return parse_as(text.contains(':') ? AF_INET6 : AF_INET, copy);
}

std::optional<Address> address_of(const sockaddr& socket_address) {
  Address address;
  if (socket_address.sa_family == AF_INET) {
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(socket_address);
    std::memcpy(address.bytes.data(), &v4.sin_addr, sizeof v4.sin_addr);
    return address;
  }
  if (socket_address.sa_family != AF_INET6) return std::nullopt;
  const auto& v6 = reinterpret_cast<const sockaddr_in6&>(socket_address);
  std::memcpy(address.bytes.data(), &v6.sin6_addr, sizeof v6.sin6_addr);
  address.is_v6 = true;
  return address;
}

std::string to_string(const Address& address) {
  std::array<char, INET6_ADDRSTRLEN> text = {};
  ::inet_ntop(address.is_v6 ? AF_INET6 : AF_INET, address.bytes.data(), text.data(), text.size());
  return text.data();
}

std::optional<AddressBlock> parse_block(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const std::optional<Address> first = parse_address(text.substr(0, slash));
  const std::string_view digits = text.substr(slash + 1);
  unsigned bits = 0;
  const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), bits);
  if (!first || failure != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  // Bits beyond the length are a slip of the pen: which network was meant is not ours to guess.
  if (bits > bits_of(*first) || !is_zero_from(*first, bits)) return std::nullopt;
  return AddressBlock{.first = *first, .bits = bits};
}

bool contains(const AddressBlock& block, const Address& address) {
  if (block.first.is_v6 != address.is_v6) return false;
  const std::size_t whole = block.bits / 8;
  if (!std::equal(address.bytes.begin(), address.bytes.begin() + static_cast<std::ptrdiff_t>(whole),
                  block.first.bytes.begin())) {
    return false;
  }
  const unsigned rest = block.bits % 8;
  return rest == 0 || (address.bytes[whole] ^ block.first.bytes[whole]) >> (8 - rest) == 0;
}

}  // namespace makegood::net
